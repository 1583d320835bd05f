import type { Finding } from './flag.ts'

const comments = /<!--|^\[\/\/\]:\s*#/gm
/** Text pushed out of sight: behind a long gap in a line, or below many empty lines. */
const gaps = /\S[^\S\n]{60,}(?=\S)|(?:[^\S\n]*\n){12,}(?=[^\S\n]*\S)/g
const encoded =
	/(?:[A-Za-z0-9+/]{32,}|[A-Za-z0-9_-]{32,})={0,2}|(?:\\x[0-9a-f]{2}){8,}|(?:%[0-9a-f]{2}){12,}|(?:&#x?[0-9a-f]{2,6};){6,}|(?:\\u[0-9a-f]{4}){6,}/gi

const mayBeEncoded = /[\w+/-]{32}|(?:[\\%&]\S{1,6}){6}/

/** Finds text that shows nowhere, or not as what it is: comments of a markup, what stands far off, encoded sentences. */
export function findHiddenText(text: string): Finding[] {
	const found = (pattern: RegExp, code: Finding['code']) =>
		[...text.matchAll(pattern)].map(({ index }): Finding => ({ code, position: index }))
	return [
		...found(comments, 'html_comment'),
		...found(gaps, 'long_whitespace'),
		...(mayBeEncoded.test(text) ? [...text.matchAll(encoded)] : [])
			.filter(([match]) => saysSomething(match))
			.map(({ index }): Finding => ({ code: 'encoded_text', position: index })),
	]
}

/** Hashes, keys and ids are no sentences: what counts decodes to text, or is written in escapes to begin with. */
function saysSomething(match: string): boolean {
	if (/^[\\%&]/.test(match)) return true
	if (/^[0-9a-f]+$/i.test(match)) return isText(Buffer.from(match, 'hex'))
	return isText(Buffer.from(match, 'base64'))
}

function isText(bytes: Buffer): boolean {
	const text = bytes.toString('utf8')
	const readable = text.match(/[\p{L}\p{N}\p{P} \n]/gu)?.length ?? 0
	return bytes.length >= 16 && readable >= text.length * 0.95 && / /.test(text)
}
