/** The known name that differs least from a mistyped one. */
export function nearestName(name: string, known: string[]): string {
	const distances = known.map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
	return distances.sort((a, b) => a.distance - b.distance)[0]?.candidate ?? ''
}

function editDistance(a: string, b: string): number {
	let row = Array.from({ length: b.length + 1 }, (_, index) => index)
	for (let i = 1; i <= a.length; i += 1) {
		const next = [i]
		for (let j = 1; j <= b.length; j += 1) {
			next[j] = Math.min(
				(next[j - 1] as number) + 1,
				(row[j] as number) + 1,
				(row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1),
			)
		}
		row = next
	}
	return row[b.length] as number
}
