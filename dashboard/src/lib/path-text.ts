/** Any text as part of a path, which cannot contain slashes; a text that does is `~` and its base64url form. */
export function toPathText(text: string): string {
	if (!/[/\\]|^~|^\.{1,2}$/.test(text)) return text
	const bytes = String.fromCharCode(...new TextEncoder().encode(text))
	return `~${btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}
