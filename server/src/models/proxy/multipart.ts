/** One part of a form. */
export interface FormPart {
	name: string
	/** Of a small one that is no file; else null. */
	text: string | null
	value: Buffer
}

const valueLimit = 256
/** No client sends as many. */
const mostParts = 1000
const encoded = /^content-transfer-encoding:\s*(?!7bit|8bit|binary)/im
const disposition = /^content-disposition:\s*form-data\s*;(.*)$/im

/**
 * The parts of a `multipart/form-data` body as every parser reads them, or why that cannot be told: nothing before the
 * first boundary, one name a part, no encoding of a part.
 */
export function formIn(contentType: string, body: Buffer): FormPart[] | string {
	const boundary = /^\s*multipart\/form-data\s*;.*\bboundary="?([^";]{1,70})"?/i
		.exec(contentType)?.[1]
		?.trim()
	if (!boundary) return 'It is a multipart body without the boundary of a form.'
	const delimiter = `--${boundary}`
	if (!body.subarray(0, delimiter.length).equals(Buffer.from(delimiter)))
		return 'The form does not begin with its boundary.'
	const parts: FormPart[] = []
	let from = delimiter.length
	for (let next = body.indexOf(`\r\n${delimiter}`, from); next >= 0; ) {
		const part = partOf(body.subarray(from, next))
		if (typeof part === 'string') return part
		if (parts.push(part) > mostParts) return `The form has more than ${mostParts} parts.`
		from = next + 2 + delimiter.length
		if (body.toString('latin1', from, from + 2) === '--') return parts
		next = body.indexOf(`\r\n${delimiter}`, from)
	}
	return 'The form does not end with its boundary.'
}

function partOf(part: Buffer): FormPart | string {
	const headEnd = part.indexOf('\r\n\r\n')
	if (part.toString('latin1', 0, 2) !== '\r\n' || headEnd < 0) return 'A part of the form has no head.'
	const head = part.toString('utf8', 0, headEnd)
	const said = disposition.exec(head)?.[1] ?? ''
	const names = [...said.matchAll(/(?:^|;)\s*name\s*=\s*(?:"([^"]*)"|([^\s;"]+))/gi)]
	const name = names[0]?.[1] ?? names[0]?.[2]
	if (name === undefined || names.length > 1 || /\bname\*/i.test(said))
		return 'A part of the form has not one plain name.'
	if (encoded.test(head)) return 'A part of the form is encoded.'
	const value = part.subarray(headEnd + 4)
	const isFile = /(?:^|;)\s*filename\*?\s*=/i.test(said)
	return { name, value, text: isFile || value.length > valueLimit ? null : value.toString() }
}
