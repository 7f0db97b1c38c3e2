/* Asks for one of the libraries whose kernels come as machine code. */
int cublasCreate_v2(void*);
int main(void) { return cublasCreate_v2(0); }
