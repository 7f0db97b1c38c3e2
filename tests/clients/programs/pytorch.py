# Compiles functions, a model and its training by Inductor, whose kernels Triton writes, and compares them with the host's
# results. PyTorch's own operators have machine code only: tensors come by copies, and none of them runs uncompiled, except on
# the host at the end.
import copy
import tempfile
import warnings

import torch
import torch._inductor.config as inductor
import triton
import triton.language as tl
from pytorch_on_host import OnHost

warnings.filterwarnings("ignore")
torch.manual_seed(1)
inductor.max_autotune_gemm_backends = "TRITON"  # there is no cuBLAS
inductor.test_configs.max_mm_configs = 1  # of the ways to multiply that are timed
# Inductor itself runs operators uncompiled, unless it need not fold constants, nor fill tensors to time kernels with.
inductor.joint_graph_constant_folding = False
inductor.shape_padding = False
inductor.triton.autotune_at_compile_time = False
TUNED = {"max_autotune": True}


def compiled(function, options=None):
    return torch.compile(function, fullgraph=True, dynamic=False, options=options)


def check(name, found, expected, tolerance):
    torch.testing.assert_close(found, expected, rtol=tolerance, atol=tolerance, msg=lambda text: f"{name}: {text}")
    print(name, "is right", flush=True)


def check_function(name, function, *inputs, tolerance=1e-5, options=None):
    found = compiled(function, options)(*(x.to("cuda") for x in inputs))
    check(name, found.cpu(), function(*inputs), tolerance)


def attention(q, k, v):
    weights = torch.softmax((q[:, :, None, :] * k[:, None, :, :]).sum(-1) / 8, dim=-1)
    return (weights[..., None] * v[:, None, :, :]).sum(2)


def train(model, batch, wanted, seed, wrap):
    """The losses of three steps."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    loss_of = wrap(lambda: torch.nn.functional.mse_loss(model(batch), wanted))
    step = wrap(optimizer.step)
    losses = []
    for _ in range(3):
        loss = loss_of()
        loss.backward(seed)  # given, since making it is an operator
        step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return torch.tensor(losses)


numbers, matrix = torch.randn(5000), torch.randn(37, 300)
check_function("pointwise", lambda x: torch.where(x > 0, torch.sin(x) * 2 + x, torch.expm1(x)), numbers)
check_function("a broadcast", lambda x, y: torch.nn.functional.gelu(x + y[:, None]), matrix, torch.randn(37))
check_function("a reduction", lambda x: x.sum(), numbers, tolerance=1e-4)
check_function("an index", lambda x: x.argmax(dim=1), matrix)
check_function("a gather", lambda x, i: x[i] * 2, matrix, torch.tensor([3, 0, 36, 3]))
check_function("a scan", lambda x: torch.cumsum(x, dim=1), matrix, tolerance=1e-4)
check_function("softmax", lambda x: torch.softmax(x, dim=1), matrix)
check_function("layer norm", lambda x: torch.nn.functional.layer_norm(x, (300,)), matrix)
check_function("half precision", lambda x: (x * x + 1).to(torch.float32), matrix.to(torch.float16), tolerance=1e-3)
check_function("attention", attention, *(torch.randn(2, 16, 32) for _ in range(3)))
a, b = torch.randn(64, 96, dtype=torch.float16), torch.randn(96, 48, dtype=torch.float16)
check_function("a product", lambda x, y: torch.relu(x @ y), a, b, tolerance=2e-2, options=TUNED)

model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.LayerNorm(64), torch.nn.Linear(64, 10))
there = copy.deepcopy(model).to("cuda")
batch, wanted = torch.randn(16, 32), torch.randn(16, 10)
with torch.no_grad():
    check("a model", compiled(there, TUNED)(batch.to("cuda")).cpu(), model(batch), 1e-2)
    exported = torch.export.export(there, (batch.to("cuda"),))
    with tempfile.TemporaryDirectory() as folder:
        package = torch._inductor.aoti_compile_and_package(
            exported, package_path=f"{folder}/model.pt2", inductor_configs=TUNED
        )
        ahead = torch._inductor.aoti_load_package(package)
        check("a model compiled ahead", ahead(batch.to("cuda")).cpu(), model(batch), 1e-2)

seed = torch.tensor(1.0)
expected = train(model, batch, wanted, seed, lambda function: function)
found = train(there, *(x.to("cuda") for x in (batch, wanted, seed)), lambda f: torch.compile(f, options=TUNED))
check("training", found, expected, 1e-2)


@triton.jit
def add_rows(x, y, columns, block: tl.constexpr):
    i = tl.arange(0, block)
    row = tl.load(x + tl.program_id(0) * columns + i, mask=i < columns, other=0)
    tl.store(y + tl.program_id(0), tl.sum(row))


with OnHost():
    torch.manual_seed(2)
    x = torch.randn(37, 300, device="cuda")
    x[:, 3] += 1
    x.t()[5:9].mul_(2)
    sums = torch.empty(37, device="cuda")
    add_rows[(37,)](x, sums, 300, block=512)
    found = torch.cat([sums, x @ torch.ones(300, device="cuda"), (x > 0).sum()[None].float()])
torch.manual_seed(2)
x = torch.randn(37, 300)
x[:, 3] += 1
x[:, 5:9] *= 2
check("operators on the host", found.cpu(), torch.cat([x.sum(1), x.sum(1), (x > 0).sum()[None].float()]), 1e-4)
