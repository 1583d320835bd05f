/** Joins class names, leaving out those that are not set. */
export function cn(...names: (string | false | null | undefined)[]): string {
	return names.filter(Boolean).join(' ')
}
