#include "sim/exec/tensor/matrix_work.hpp"

#include "sim/exec/async_operations.hpp"

#include <utility>

namespace warpsim::sim {

void AsyncOperations::perform(Cluster& cluster, MatrixWork const& work) const {
    work.perform(execution_, cluster);
}

void AsyncOperations::begin_work(Issue const& by, std::shared_ptr<MatrixWork const> work) {
    ++by.cta.changes;
    if (model_ == nullptr && launch_.late_copies) {
        UnderWay w;
        w.work = std::move(work);
        return issue(by, std::move(w));
    }
    // What reaches another CTA, which may run on another host thread, waits for the end of the epoch.
    if (model_ == nullptr || !work->of_pair()) perform(*by.cta.cluster, *work);
    if (model_ != nullptr) model_->matrix_work(by.cta, std::move(work));
}

void AsyncOperations::arrive_after_work(Issue const& by, Bytes const& barrier, bool of_pair) {
    if (model_ != nullptr) {
        return model_->arrival_after_work(
            *by.cta.cluster, by.cta,
            {barrier, Asynchronous::Kind::arrive, 1, false, false, false, MbarrierCause::earlier_work}, of_pair,
            execution_.faults.culprit(by));
    }
    UnderWay w;
    w.only_arrives = w.has_barrier = w.follows_work = true;
    w.barrier = barrier;
    issue(by, std::move(w));
}

}  // namespace warpsim::sim
