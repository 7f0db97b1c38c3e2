// A picture turned, and made larger or smaller. Each thread computes one texel of the result: it asks the texture for the
// place in the picture where that texel comes from. The texture unit blends the four texels around the place, or takes the
// nearest, and knows what lies outside of the picture; these are settings of the texture, so the kernel has no code for them.

extern "C" __global__ void turn(cudaTextureObject_t picture, cudaSurfaceObject_t out, int size, float aspect,
                                float centre_x, float centre_y, float angle, float scale) {
    int const x = blockIdx.x * blockDim.x + threadIdx.x;
    int const y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size) {
        return;
    }
    // From the centre of the result, in heights of the picture.
    float const u = ((x + 0.5f) / size - 0.5f) / scale;
    float const v = ((y + 0.5f) / size - 0.5f) / scale;
    float const s = u * __cosf(angle) - v * __sinf(angle);
    float const t = u * __sinf(angle) + v * __cosf(angle);
    // The picture's width and height are 1 to the texture.
    float4 const colour = tex2D<float4>(picture, centre_x + s * aspect, centre_y + t);
    uchar4 const bytes = make_uchar4(colour.x * 255 + 0.5f, colour.y * 255 + 0.5f, colour.z * 255 + 0.5f, 255);
    surf2Dwrite(bytes, out, x * static_cast<int>(sizeof bytes), y);
}
