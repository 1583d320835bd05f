/** Ids of what Anthropic stores for an account, each as a whole JSON string. */
const reference = /"((?:file|container)_[A-Za-z0-9_-]+)"/g

/** The stored files and containers that a body names. */
export function referencesIn(body: string): readonly string[] {
	// Letters that are written as escapes could hide a name.
	const text = body.replace(
		/\\u00([467]\w|5f)/gi,
		(_, code: string) => `${String.fromCharCode(Number.parseInt(code, 16))}`,
	)
	return [...new Set([...text.matchAll(reference)].map(([, id]) => id as string))]
}
