/** The id of a session as a part of a path, which cannot carry slashes: then `~` and base64url of it. */
export function sessionParam(id: string): string {
	if (!/[/\\]|^~|^\.{1,2}$/.test(id)) return id
	const bytes = String.fromCharCode(...new TextEncoder().encode(id))
	return `~${btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}
