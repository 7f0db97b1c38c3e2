// error: cuVDPAUGetDevice is not supported by the simulator
// A driver without graphics: programs find its functions for them, and no thread has a context of OpenGL.
#include "check_driver.h"

/* Without the headers of OpenGL, which <cudaGL.h> needs. */
typedef CUresult (*GetDevices)(unsigned*, CUdevice*, unsigned, int);
typedef CUresult (*RegisterBuffer)(CUgraphicsResource*, unsigned, unsigned);
typedef CUresult (*RegisterImage)(CUgraphicsResource*, unsigned, unsigned, unsigned);
typedef CUresult (*GetDevice)(CUdevice*, CUdevice, unsigned, void*);

static void* function(const char* name, int version) {
    CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    void* address = NULL;
    OK(cuGetProcAddress(name, &address, version, 0, &found));
    if (found != CU_GET_PROC_ADDRESS_SUCCESS || address == NULL) printf("%s of %d is not found\n", name, version);
    return address;
}

int main(void) {
    static const char* const names[] = {"cuEGLStreamConsumerAcquireFrame",
                                        "cuEGLStreamConsumerConnect",
                                        "cuEGLStreamConsumerConnectWithFlags",
                                        "cuEGLStreamConsumerDisconnect",
                                        "cuEGLStreamConsumerReleaseFrame",
                                        "cuEGLStreamProducerConnect",
                                        "cuEGLStreamProducerDisconnect",
                                        "cuEGLStreamProducerPresentFrame",
                                        "cuEGLStreamProducerReturnFrame",
                                        "cuEventCreateFromEGLSync",
                                        "cuGLCtxCreate",
                                        "cuGLGetDevices",
                                        "cuGLInit",
                                        "cuGLMapBufferObject",
                                        "cuGLMapBufferObjectAsync",
                                        "cuGLRegisterBufferObject",
                                        "cuGLSetBufferObjectMapFlags",
                                        "cuGLUnmapBufferObject",
                                        "cuGLUnmapBufferObjectAsync",
                                        "cuGLUnregisterBufferObject",
                                        "cuGraphicsEGLRegisterImage",
                                        "cuGraphicsGLRegisterBuffer",
                                        "cuGraphicsGLRegisterImage",
                                        "cuGraphicsResourceGetMappedEglFrame",
                                        "cuGraphicsVDPAURegisterOutputSurface",
                                        "cuGraphicsVDPAURegisterVideoSurface",
                                        "cuVDPAUCtxCreate",
                                        "cuVDPAUGetDevice"};
    CUdevice device = 0;
    CUgraphicsResource resource = NULL;
    unsigned count = 0;
    OK(cuInit(0));
    for (unsigned i = 0; i < sizeof names / sizeof *names; ++i) CHECK(function(names[i], CUDA_VERSION) != NULL);
    CHECK(function("cuGLGetDevices", 4010) != function("cuGLGetDevices", 6050));

    GetDevices const get_devices = (GetDevices)function("cuGLGetDevices", CUDA_VERSION);
    IS(get_devices(&count, &device, 1, 1), CUDA_ERROR_INVALID_CONTEXT);
    use_primary();
    IS(get_devices(&count, &device, 1, 1), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
    IS(((RegisterBuffer)function("cuGraphicsGLRegisterBuffer", CUDA_VERSION))(&resource, 1, 0),
       CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
    IS(((RegisterImage)function("cuGraphicsGLRegisterImage", CUDA_VERSION))(&resource, 1, 0x0DE1, 0),
       CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
    IS(((GetDevice)function("cuVDPAUGetDevice", CUDA_VERSION))(&device, 0, 0, NULL), CUDA_ERROR_NOT_SUPPORTED);
    return result();
}
