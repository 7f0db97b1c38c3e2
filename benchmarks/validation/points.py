"""Points of (hardware, simulator): how far apart they are, and a picture."""
import math
import pathlib
import statistics


def correlation(points):
    """Of the logarithms."""
    return statistics.correlation([math.log(x) for x, _ in points], [math.log(y) for _, y in points])


def summary(points, what):
    """`what` says of what they are."""
    errors = [abs(y / x - 1) for x, y in points]
    return (f"{len(points)} {what}, mean error {100 * statistics.mean(errors):.1f} %, median "
            f"{100 * statistics.median(errors):.1f} %, correlation of the logarithms {correlation(points):.4f}")


def picture(path, sets, gpu, powers):
    """An SVG of sets of points, each with a name and a colour, within these powers of ten, the first and the last."""
    size, margin, low, high = 480, 68, *powers
    place = lambda v: margin + (math.log10(v) - low) / (high - low) * (size - 2 * margin)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" font-family="sans-serif" font-size="12">',
           f'<rect width="{size}" height="{size}" fill="#fff"/>']
    for power in range(math.ceil(low), math.floor(high) + 1):
        at = place(10**power)
        for x1, y1, x2, y2 in ((at, margin, at, size - margin), (margin, size - at, size - margin, size - at)):
            out.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{at:.1f}" y="{size - margin + 18}" text-anchor="middle">10^{power}</text>')
        out.append(f'<text x="{margin - 8}" y="{size - at + 4:.1f}" text-anchor="end">10^{power}</text>')
    corner = size - margin
    out.append(f'<line x1="{margin}" y1="{corner}" x2="{corner}" y2="{margin}" stroke="#888"/>')
    for number, (name, colour, points) in enumerate(sets):
        for x, y in points:
            out.append(f'<circle cx="{place(x):.1f}" cy="{size - place(y):.1f}" r="3.5" fill="{colour}" fill-opacity=".7"/>')
        y = margin + 18 * number
        out.append(f'<circle cx="{margin + 14}" cy="{y - 4}" r="4" fill="{colour}"/><text x="{margin + 24}" y="{y}">{name}</text>')
    out.append(f'<text x="{size / 2}" y="{size - 12}" text-anchor="middle">{gpu}: cycles</text>')
    out.append(f'<text x="18" y="{size / 2}" text-anchor="middle" transform="rotate(-90 18 {size / 2})">warpsim: cycles</text></svg>')
    pathlib.Path(path).write_text("\n".join(out) + "\n")
