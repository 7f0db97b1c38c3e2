int cublasCreate_v2(void* handle) { return handle == 0 ? 0 : 1; }
