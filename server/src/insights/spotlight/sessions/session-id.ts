/** A session's id from a path, which cannot carry slashes: `~` and base64url stand for any text. */
export function readSessionId(text: string): string {
	return text.startsWith('~') ? Buffer.from(text.slice(1), 'base64url').toString('utf8') : text
}
