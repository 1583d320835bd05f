import { hash, webcrypto } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import { Problem, tooLarge } from '../../platform/errors.ts'
import { JsonFault, type JsonMember, JsonScan, requestLimits } from '../../platform/json/json-scan.ts'
import { scanInTurns } from '../../platform/json/scan-in-turns.ts'

/** Hashing more than this at once would block the event loop. */
const hashedAtOnceBytes = 1024 * 1024

/** Hashes of the bodies of one call on the wire, with their content encoding. '' if there was no body. */
export interface BodyHashes {
	/** As sent by the client, and as received by the provider. */
	request: string
	requestSent: string
	/** As sent by the provider, and as received by the client. */
	response: string
	responsePassed: string
}

export async function hashOfBody(body: Buffer | null): Promise<string> {
	if (!body?.length) return ''
	if (body.length <= hashedAtOnceBytes) return hash('sha256', body, 'hex')
	const digest = await webcrypto.subtle.digest('SHA-256', body as Buffer<ArrayBuffer>)
	return Buffer.from(digest).toString('hex')
}

/** One part of a form. */
export interface FormPart {
	name: string
	/** The text of a small part that is not a file, otherwise null. */
	text: string | null
	value: Buffer
}

const valueLimit = 256
/** No client sends as many. */
const maxParts = 1000
const boundaryOfForm =
	/^\s*multipart\/form-data\s*;(?:.*[;\s])?boundary=(?:"([^"]{1,70})"|([^\s";]{1,70}))(?:\s*;|\s*$)/i
const encoded = /^content-transfer-encoding:\s*(?!7bit|8bit|binary)/i
const header = /^[\w-]+:[^\r\n]*$/
const disposition = /^content-disposition:(?:\s*form-data\s*;([^\r\n]*))?/i

/**
 * The parts of a `multipart/form-data` body if every parser reads them the same way, otherwise the reason why that is uncertain.
 * Required: one boundary, which occurs nowhere else, and nothing before the first one; one plain name per part, no encoding of a part.
 */
function formIn(contentType: string, body: Buffer): FormPart[] | string {
	const [, quoted, token] = boundaryOfForm.exec(contentType) ?? []
	const boundary = quoted ?? token
	const isOnly = contentType.toLowerCase().split('boundary').length === 2 && !contentType.includes('\\')
	if (boundary === undefined || !isOnly) return 'It is a multipart body without the one boundary of a form.'
	const delimiter = `--${boundary}`
	if (!body.subarray(0, delimiter.length).equals(Buffer.from(delimiter)))
		return 'The form does not begin with its boundary.'
	const parts: FormPart[] = []
	let from = delimiter.length
	for (let next = body.indexOf(delimiter, from); next >= 0; next = body.indexOf(delimiter, from)) {
		// Some parsers accept other line ends here.
		if (body.toString('latin1', next - 2, next) !== '\r\n')
			return 'The boundary of the form is within a line.'
		const part = partOf(body.subarray(from, next - 2))
		if (typeof part === 'string') return part
		if (parts.push(part) > maxParts) return `The form has more than ${maxParts} parts.`
		from = next + delimiter.length
		if (body.toString('latin1', from, from + 2) === '--') return parts
	}
	return 'The form does not end with its boundary.'
}

function partOf(part: Buffer): FormPart | string {
	const headEnd = part.indexOf('\r\n\r\n')
	if (part.toString('latin1', 0, 2) !== '\r\n' || headEnd < 0) return 'A part of the form has no head.'
	const head = part.toString('utf8', 2, headEnd).split('\r\n')
	if (!head.every((line) => header.test(line))) return 'A part of the form has a head of another form.'
	const dispositions = head.flatMap(
		(line) => disposition.exec(line)?.[1] ?? (disposition.test(line) ? '' : []),
	)
	const parameters = dispositions.length === 1 ? (dispositions[0] as string) : ''
	const names = [...parameters.matchAll(/(?:^|;)\s*name\s*=\s*(?:"([^"]*)"|([^\s;"]+))/gi)]
	const name = names[0]?.[1] ?? names[0]?.[2]
	if (name === undefined || names.length > 1 || /\bname\*|\\/i.test(parameters))
		return 'A part of the form has not one plain name.'
	if (head.some((line) => encoded.test(line))) return 'A part of the form is encoded.'
	const value = part.subarray(headEnd + 4)
	const isFile = /(?:^|;)\s*filename\*?\s*=/i.test(parameters)
	return { name, value, text: isFile || value.length > valueLimit ? null : value.toString() }
}

type Decode = (body: Buffer, limit: { maxOutputLength: number }) => Promise<Buffer>

/** They run in the thread pool. */
const decoders: Readonly<Record<string, Decode>> = {
	gzip: promisify(gunzip),
	'x-gzip': promisify(gunzip),
	deflate: promisify(inflate),
	br: promisify(brotliDecompress),
	zstd: promisify(zstdDecompress),
}

/** A body without its content encoding, at most `limitBytes` of it. Rejects with Problem 400, 413 or 415. */
async function decodeBody(
	contentEncoding: string | undefined,
	body: Buffer,
	limitBytes: number,
): Promise<Buffer> {
	const encoding = (contentEncoding ?? '').trim().toLowerCase()
	if (encoding === '' || encoding === 'identity') return body
	const decode = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined
	if (!decode)
		throw new Problem(
			'unsupported_media_type',
			'The Content-Encoding of a request is gzip, deflate, br, zstd or none here, and one of them alone.',
		)
	try {
		return await decode(body, { maxOutputLength: limitBytes })
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limitBytes)
		const { message } = error as Error
		throw new Problem('invalid_request', `The body is not what its Content-Encoding says: ${message}.`, {
			cause: error,
		})
	}
}

/** No decision about a call depends on a longer member. */
const fieldLimitBytes = 1024 * 1024

/** The result of scanning a JSON document. */
interface Scanned {
	members: readonly JsonMember[]
	/** Start and end of each string value in `plain`, quotes included. */
	strings: readonly number[]
}

interface Parts {
	bytes: Buffer
	plain: Buffer
	isDecoded: boolean
	fault: string | null
	json: Scanned | null
	form: readonly FormPart[] | null
}

/**
 * The body of a call, as it is sent and as its provider will read it. Hooks, budgets, model access, ownership and the record all
 * use this one reading. If it has a `fault`, it is uncertain what the provider would read.
 */
export class CallBody {
	/** As sent over the wire. */
	readonly bytes: Buffer
	/** Without content encoding. */
	readonly plain: Buffer
	/** Whether `bytes` no longer have the encoding that the client's headers name, because they were changed. */
	readonly isDecoded: boolean
	/** Why it cannot be read, as a sentence, or null. */
	readonly fault: string | null
	/** Null if it is not JSON. */
	readonly json: Scanned | null
	/** Null if it is not a form. */
	readonly form: readonly FormPart[] | null

	private constructor({ bytes, plain, isDecoded, fault, json, form }: Parts) {
		this.bytes = bytes
		this.plain = plain
		this.isDecoded = isDecoded
		this.fault = fault
		this.json = json
		this.form = form
	}

	/** Reads a body synchronously if it is small and has no content encoding. Null for others, which need `read`. */
	static readAtOnce(headers: IncomingHttpHeaders, bytes: Buffer): CallBody | null {
		const encoding = headers['content-encoding']
		const isPlain = encoding === undefined || encoding === 'identity'
		if (!isPlain || bytes.length === 0 || bytes.length > atOnceBytes) return null
		if (isForm(headers['content-type'])) return null
		return new CallBody({
			bytes,
			plain: bytes,
			isDecoded: false,
			...readJson(headers['content-type'], bytes),
		})
	}

	/** Throws Problem 400, 413 or 415 for an encoding that cannot be decoded. `limitBytes` applies to the decoded size. */
	static async read(headers: IncomingHttpHeaders, bytes: Buffer, limitBytes: number): Promise<CallBody> {
		const plain =
			bytes.length === 0 ? bytes : await decodeBody(headers['content-encoding'], bytes, limitBytes)
		return new CallBody({
			bytes,
			plain,
			isDecoded: false,
			...(await readPlain(headers['content-type'], plain)),
		})
	}

	/**
	 * The requested model. Null if that is uncertain: the body cannot be read, names none, or names it in several spellings, of
	 * which the provider may read another one.
	 */
	get model(): string | null {
		if (this.form) return this.formField('model')
		const named = this.json?.members.filter(({ name }) => name.toLowerCase() === 'model') ?? []
		const value = named.length === 1 && named[0]?.name === 'model' ? this.#valueOf(named[0]) : null
		return typeof value === 'string' ? value : null
	}

	/** The wanted fields; undefined if it cannot be read. */
	fields(wanted: ReadonlySet<string>): ReadonlyMap<string, unknown> | undefined {
		if (this.form) return new Map([['model', this.model]])
		if (!this.json) return undefined
		const values = new Map<string, unknown>()
		for (const member of this.json.members)
			if (wanted.has(member.name) && member.to - member.from <= fieldLimitBytes)
				values.set(member.name, this.#valueOf(member))
		return values
	}

	/** A small field of a form; null if there is none, or more than one. */
	formField(name: string): string | null {
		const found = this.form?.filter((part) => part.name === name) ?? []
		return found.length === 1 ? (found[0]?.text ?? null) : null
	}

	member(name: string): JsonMember | undefined {
		return this.json?.members.find((member) => member.name === name)
	}

	/** The body with one range replaced. The range must not contain a member or text that is still needed. */
	edited(from: number, to: number, text: string): CallBody {
		const added = Buffer.from(text)
		const plain = Buffer.concat([this.plain.subarray(0, from), added, this.plain.subarray(to)])
		const moved = (at: number) => (at >= to ? at + added.length - (to - from) : at)
		const json = this.json && {
			members: this.json.members.map((member) => ({
				...{ name: member.name, from: moved(member.from), to: moved(member.to) },
			})),
			strings: this.json.strings.map(moved),
		}
		const isDecoded = this.isDecoded || this.bytes !== this.plain
		return new CallBody({ bytes: plain, plain, isDecoded, fault: this.fault, json, form: this.form })
	}

	/** The body with all bytes replaced, which have been checked already. */
	replaced(plain: Buffer): CallBody {
		return new CallBody({
			...this,
			bytes: plain,
			plain,
			isDecoded: this.isDecoded || this.bytes !== this.plain,
		})
	}

	#valueOf({ from, to }: JsonMember): unknown {
		return JSON.parse(this.plain.toString('utf8', from, to))
	}
}

type Read = Pick<Parts, 'fault' | 'json' | 'form'>

const scanned = { limits: requestLimits, members: true, strings: true }
/** Reading more at once would block the event loop. */
const atOnceBytes = 64 * 1024

function isForm(contentType = ''): boolean {
	return /^\s*multipart\//i.test(contentType)
}

async function readPlain(contentType = '', plain: Buffer): Promise<Read> {
	if (plain.length === 0) return { fault: null, json: null, form: null }
	if (isForm(contentType)) {
		const form = formIn(contentType, plain)
		return typeof form === 'string' ? unreadable(form) : { fault: null, json: null, form }
	}
	const refused = refusedType(contentType)
	if (refused) return unreadable(refused)
	try {
		return readable(await scanInTurns(plain, scanned))
	} catch (error) {
		return unreadableBy(error)
	}
}

function readJson(contentType: string | undefined, plain: Buffer): Read {
	const refused = refusedType(contentType)
	if (refused) return unreadable(refused)
	try {
		return readable(JsonScan.read(plain, scanned))
	} catch (error) {
		return unreadableBy(error)
	}
}

function refusedType(contentType = ''): string | null {
	// Servers that obey the type find other fields in the same bytes.
	if (/^\s*application\/x-www-form-urlencoded/i.test(contentType))
		return 'It is declared as a URL-encoded form, not as JSON.'
	const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]
	if (charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset)) return null
	return `Its charset is ${charset.slice(0, 40)}, not UTF-8.`
}

function readable({ members, strings }: JsonScan): Read {
	return { fault: null, json: { members, strings }, form: null }
}

function unreadableBy(error: unknown): Read {
	if (error instanceof JsonFault) return unreadable(error.message)
	throw error
}

function unreadable(fault: string): Read {
	return { fault, json: null, form: null }
}

/** The refusal of a body that cannot be read, if something depends on its content. */
export function cannotRead({ fault }: CallBody, who: string): Problem {
	return new Problem('invalid_json', `${who} cannot read the body. ${fault}`)
}
