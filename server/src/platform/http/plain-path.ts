import { Problem } from '../errors.ts'

/**
 * Splits a request target and refuses every spelling of a path that two parsers could read differently:
 * `//`, dot segments (plain or encoded), encoded slashes and backslashes, control characters, absolute targets.
 */
export function plainPath(target: string): { path: string; search: string } {
	const cut = target.indexOf('?')
	const path = cut < 0 ? target : target.slice(0, cut)
	const search = cut < 0 ? '' : target.slice(cut + 1)
	if (!isPlain(path))
		throw new Problem('invalid_path', 'Send the path without `//`, dot segments or encoded slashes.')
	return { path, search }
}

function isPlain(path: string): boolean {
	if (!path.startsWith('/') || path.includes('//') || path.includes('\\') || path.includes('#')) return false
	if (!path.includes('%') && !path.includes('/.')) return isPrintable(path)
	if (/%(2f|5c|00)/i.test(path) || !isPrintable(path)) return false
	return !path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment))
}

function isPrintable(path: string): boolean {
	return /^[\x21-\x7e]*$/.test(path)
}
