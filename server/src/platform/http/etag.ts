import { hash } from 'node:crypto'

const short = (text: string) => hash('sha256', text, 'base64url').slice(0, 16)

/** The strong ETag of an answer: of its text, so that it changes whenever the answer would. */
export function etagOf(text: string): string {
	return `"${short(text)}"`
}

/**
 * The strong ETag of an object that can be changed: its version before a dot, its text after. `If-Match` is about the
 * version, or an agent that is at work could never be edited: its `last_seen_at` moves all the time.
 */
export function objectEtagOf(document: object, observed: readonly string[], text: string): string {
	return `"${versionOf(document, observed)}.${short(text)}"`
}

/** Stands for the fields of an object that people change: all but the `observed` ones. */
function versionOf(document: object, observed: readonly string[]): string {
	const managed = Object.entries(document).filter(
		([name, value]) => value !== undefined && !observed.includes(name),
	)
	return short(JSON.stringify(managed.sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** Whether `If-None-Match` names this ETag; compared weakly (RFC 9110 §13.1.2), as an intermediary may have weakened it. */
export function isKnown(header: string | undefined, etag: string): boolean {
	return header !== undefined && listed(header).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag)
}

/** Whether `If-Match` names the version of this object. */
export function isMatched(header: string, document: object, observed: readonly string[]): boolean {
	const version = `"${versionOf(document, observed)}.`
	return listed(header).some((tag) => tag === '*' || tag.startsWith(version))
}

/** Our ETags hold no comma, so a list can be cut at them. */
function listed(header: string): string[] {
	return header.split(',').map((tag) => tag.trim())
}
