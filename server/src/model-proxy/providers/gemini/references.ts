/** Files and caches that Google stores for an account, by their names or addresses, each as a whole JSON string. */
const reference = /"(?:[^"\\]*\\?\/)?((?:cachedContents|files)\\?\/[A-Za-z0-9_-]+)"/g
const escapedLetter = /\\u00(2f|3\d|[46][1-9a-f]|5[0-9af]|7[0-9a])/gi

/** The stored files and caches that a body names. */
export function referencesIn(body: string): readonly string[] {
	const text = body.replace(escapedLetter, (_, code: string) =>
		String.fromCharCode(Number.parseInt(code, 16)),
	)
	return [...new Set([...text.matchAll(reference)].map(([, name]) => name as string))]
}
