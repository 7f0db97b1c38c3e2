# A map, sums by atomics and by tiles, neighbours in a hash grid, rays at a mesh, a graph, and gradients by a tape.
import numpy as np
import warp as wp

generator = np.random.default_rng(1)
wp.set_device("cuda:0")


@wp.kernel
def map_and_sum(x: wp.array(dtype=float), y: wp.array(dtype=float), total: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = wp.sin(x[i]) * 2.0 + x[i]
    wp.atomic_add(total, 0, y[i])


host = generator.random(1000, dtype=np.float32)
x = wp.array(host, dtype=float, requires_grad=True)
y = wp.zeros(1000, dtype=float, requires_grad=True)
total = wp.zeros(1, dtype=float, requires_grad=True)
with wp.Tape() as tape:
    wp.launch(map_and_sum, dim=1000, inputs=[x], outputs=[y, total])
tape.backward(total)
np.testing.assert_allclose(y.numpy(), np.sin(host) * 2 + host, rtol=1e-5)
np.testing.assert_allclose(total.numpy()[0], (np.sin(host) * 2 + host).sum(), rtol=1e-4)
np.testing.assert_allclose(x.grad.numpy(), np.cos(host) * 2 + 1, rtol=1e-5)

SIDE = wp.constant(16)


@wp.kernel
def product(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    part = wp.tile_zeros(shape=(SIDE, SIDE), dtype=float)
    for k in range(a.shape[1] // SIDE):
        left = wp.tile_load(a, shape=(SIDE, SIDE), offset=(i * SIDE, k * SIDE))
        right = wp.tile_load(b, shape=(SIDE, SIDE), offset=(k * SIDE, j * SIDE))
        part += wp.tile_matmul(left, right)
    wp.tile_store(out, part, offset=(i * SIDE, j * SIDE))


a, b = generator.random((32, 48), dtype=np.float32), generator.random((48, 64), dtype=np.float32)
out = wp.zeros((32, 64), dtype=float)
wp.launch_tiled(product, dim=(2, 4), inputs=[wp.array(a), wp.array(b)], outputs=[out], block_dim=64)
np.testing.assert_allclose(out.numpy(), a @ b, rtol=1e-4)


@wp.kernel
def count_near(grid: wp.uint64, points: wp.array(dtype=wp.vec3), radius: float, found: wp.array(dtype=int)):
    i = wp.tid()
    for j in wp.hash_grid_query(grid, points[i], radius):
        if wp.length(points[j] - points[i]) <= radius:
            found[i] += 1


places = generator.random((500, 3), dtype=np.float32)
points = wp.array(places, dtype=wp.vec3)
grid = wp.HashGrid(8, 8, 8)
grid.build(points, 0.125)
found = wp.zeros(500, dtype=int)
with wp.ScopedCapture() as capture:
    wp.launch(count_near, dim=500, inputs=[grid.id, points, 0.125], outputs=[found])
wp.capture_launch(capture.graph)
wp.capture_launch(capture.graph)
distances = np.linalg.norm(places[:, None] - places[None], axis=2)
np.testing.assert_array_equal(found.numpy(), 2 * (distances <= 0.125).sum(axis=1))


@wp.kernel
def shoot(mesh: wp.uint64, places: wp.array(dtype=wp.vec3), depth: wp.array(dtype=float)):
    i = wp.tid()
    hit = wp.mesh_query_ray(mesh, places[i], wp.vec3(0.0, 0.0, -1.0), 10.0)
    depth[i] = wp.where(hit.result, hit.t, -1.0)


# A surface of 20 x 20 squares of two triangles, whose height is linear, and rays from above, some beside it.
u, v = np.meshgrid(np.linspace(0, 1, 21), np.linspace(0, 1, 21), indexing="ij")
corners = np.stack([u, v, 0.5 * u + 0.25 * v], axis=2).reshape(-1, 3)
first = (np.arange(20)[:, None] * 21 + np.arange(20)).reshape(-1, 1)
triangles = np.concatenate([first + [0, 21, 1], first + [21, 22, 1]]).reshape(-1)
mesh = wp.Mesh(wp.array(corners, dtype=wp.vec3), wp.array(triangles, dtype=int))
above = np.concatenate([generator.random((300, 2)) * 1.5, np.full((300, 1), 2)], axis=1)
depth = wp.zeros(300, dtype=float)
wp.launch(shoot, dim=300, inputs=[mesh.id, wp.array(above, dtype=wp.vec3)], outputs=[depth])
inside = (above[:, 0] < 1) & (above[:, 1] < 1)
expected = np.where(inside, 2 - 0.5 * above[:, 0] - 0.25 * above[:, 1], -1)
np.testing.assert_allclose(depth.numpy(), expected, atol=1e-5)
