/** The lines that differ, with `+` and `-`; what is equal at both ends is left out. */
export function diffLines(before: string, after: string): string[] {
	const old = before.split('\n')
	const now = after.split('\n')
	let first = 0
	while (first < old.length && first < now.length && old[first] === now[first]) first += 1
	let last = 0
	while (last < Math.min(old.length, now.length) - first && old.at(-1 - last) === now.at(-1 - last)) last += 1
	return [
		...old.slice(first, old.length - last).map((line) => `- ${line}`),
		...now.slice(first, now.length - last).map((line) => `+ ${line}`),
	]
}
