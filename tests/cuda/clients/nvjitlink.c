// Stands for NVIDIA's nvJitLink in tests: its LTO-IR is the mark of LTO-IR with the text of PTX after it.
#include <stdlib.h>
#include <string.h>

struct Link {
    char text[4096];
};

int nvJitLinkVersion(unsigned* major, unsigned* minor) { return *major = 99, *minor = 0, 0; }
int nvJitLinkCreate(struct Link** link, unsigned count, char const** options) {
    int lto = 0, ptx = 0, architecture = 0;
    for (unsigned i = 0; i < count; ++i) {
        lto += !strcmp(options[i], "-lto");
        ptx += !strcmp(options[i], "-ptx");
        architecture += !strcmp(options[i], "-arch=sm_90");
    }
    if (lto != 1 || ptx != 1 || architecture != 1) return 11;
    return *link = calloc(1, sizeof **link), 0;
}
int nvJitLinkDestroy(struct Link** link) { return free(*link), *link = NULL, 0; }
int nvJitLinkAddData(struct Link* link, int type, void const* data, size_t size, char const* name) {
    (void)name;
    if (type != 3 || size < 5) return 12;
    if (strlen(link->text) + size > sizeof link->text) return 6;
    return strncat(link->text, (char const*)data + 4, size - 4), 0;
}
int nvJitLinkComplete(struct Link* link) { return strstr(link->text, "unsound") != NULL ? 5 : 0; }
int nvJitLinkGetLinkedPtxSize(struct Link* link, size_t* size) { return *size = strlen(link->text) + 1, 0; }
int nvJitLinkGetLinkedPtx(struct Link* link, char* to) { return strcpy(to, link->text), 0; }
int nvJitLinkGetErrorLogSize(struct Link* link, size_t* size) {
    return (void)link, *size = sizeof "it is unsound", 0;
}
int nvJitLinkGetErrorLog(struct Link* link, char* to) { return (void)link, strcpy(to, "it is unsound"), 0; }
