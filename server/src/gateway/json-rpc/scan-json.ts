const depthLimit = 64
const quote = 34
const minus = 45
const backslash = 92

export interface JsonScan {
	/** A sentence, or null. */
	fault: string | null
	/** Whether every number is written as JavaScript would write it. */
	exactNumbers: boolean
}

/**
 * Looks over a text that is known to be JSON for what `JSON.parse` hides: duplicate keys (equal after unescaping),
 * `__proto__`, nesting, and numbers that would change. One pass, no values built.
 */
export function scanJson(text: string): JsonScan {
	/** The keys of each open object; null for an array. */
	const open: (string[] | Set<string> | null)[] = []
	let exactNumbers = true
	/** Most texts have no escape: then a key is what stands between its quotes. */
	const escapes = text.includes('\\')
	for (let at = 0; at < text.length; at += 1) {
		const code = text.charCodeAt(at)
		if (code === quote) {
			const end = endOfString(text, at)
			if (isKey(text, end + 1)) {
				const fault = addKey(open, keyIn(text, at, end, escapes))
				if (fault) return { fault, exactNumbers }
			}
			at = end
		} else if (code === 123 || code === 91) {
			if (open.push(code === 123 ? [] : null) > depthLimit)
				return { fault: `Nesting is deeper than ${depthLimit} levels.`, exactNumbers }
		} else if (code === 125 || code === 93) {
			open.pop()
		} else if (code === minus || isDigit(code)) {
			const end = endOfNumber(text, at)
			exactNumbers &&= isExact(text, at, end)
			at = end - 1
		}
	}
	return { fault: null, exactNumbers }
}

function endOfString(text: string, start: number): number {
	for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
		let slashes = 0
		while (text.charCodeAt(end - 1 - slashes) === backslash) slashes += 1
		if (slashes % 2 === 0) return end
	}
}

/** In valid JSON a string is a key exactly when a colon follows. */
function isKey(text: string, from: number): boolean {
	for (let at = from; at < text.length; at += 1) {
		const code = text.charCodeAt(at)
		if (code !== 32 && code !== 9 && code !== 10 && code !== 13) return code === 58
	}
	return false
}

function keyIn(text: string, start: number, end: number, escapes: boolean): string {
	const key = text.slice(start + 1, end)
	return escapes && key.includes('\\') ? (JSON.parse(`"${key}"`) as string) : key
}

function addKey(open: (string[] | Set<string> | null)[], key: string): string | null {
	const keys = open[open.length - 1] as string[] | Set<string>
	if (key === '__proto__') return 'The key `__proto__` is reserved.'
	if (keys instanceof Set ? keys.has(key) : keys.includes(key))
		return `The key ${JSON.stringify(key.slice(0, 64))} occurs twice in one object.`
	if (keys instanceof Set) keys.add(key)
	else if (keys.push(key) > 16) open[open.length - 1] = new Set(keys)
	return null
}

function endOfNumber(text: string, start: number): number {
	let end = start + 1
	for (; end < text.length; end += 1) {
		const code = text.charCodeAt(end)
		if (!isDigit(code) && code !== 46 && code !== 43 && code !== minus && code !== 69 && code !== 101) break
	}
	return end
}

function isExact(text: string, start: number, end: number): boolean {
	if (end - start === 1) return isDigit(text.charCodeAt(start))
	const source = text.slice(start, end)
	return String(Number(source)) === source
}

function isDigit(code: number): boolean {
	return code >= 48 && code <= 57
}
