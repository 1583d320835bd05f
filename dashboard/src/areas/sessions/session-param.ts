/** A session id as part of a path, which cannot contain slashes; such an id is `~` and its base64url form. */
export function sessionParam(id: string): string {
	if (!/[/\\]|^~|^\.{1,2}$/.test(id)) return id
	const bytes = String.fromCharCode(...new TextEncoder().encode(id))
	return `~${btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}
