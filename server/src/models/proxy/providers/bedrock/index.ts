import { createHash, createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { linesOf, type Usage } from '../../../../ledger/ledger.ts'
import type { Problem } from '../../../../platform/errors.ts'
import type { OwnKeys } from '../../caller-keys.ts'
import { awsEventMessage } from '../../tee/answer-parsers.ts'
import { newReader as newAnthropicReader } from '../anthropic/reader.ts'
import { readUsage as readOpenAiUsage } from '../openai/reader.ts'
import {
	type CredentialTools,
	countOrNull,
	countOrZero,
	type Fields,
	fieldsIn,
	type HeaderList,
	isAnyUnreadable,
	type ModelProvider,
	newReading,
	type OutgoingRequest,
	parseFields,
	type Reading,
	type ResponseReader,
	type Surface,
	textOr,
	utf8Bytes,
} from '../provider.ts'
import { surfaceTable } from '../surface-table.ts'

/** Amazon's sign-in capitalises the message. */
const errorFields = ['message', 'Message', '__type']

/** The runtime names the type of an error in a header only, followed by an address: `ThrottlingException:http://…`. */
function noteErrorType(reading: Reading, headers: IncomingHttpHeaders): true {
	reading.errorType = textOr(headers['x-amzn-errortype'], '').split(':')[0] as string
	return true
}

function readError(reading: Reading, body: Fields): void {
	reading.errorType = textOr(body.__type, reading.errorType)
	reading.errorMessage = textOr(body.message, textOr(body.Message, ''))
}

const converseFields = new Set([...errorFields, 'usage', 'stopReason', 'serviceTier', 'performanceConfig'])

/** Reads what Converse and ConverseStream answer. */
function newConverseReader(): ResponseReader {
	const reading = newReading()

	const readFigures = (from: Fields) => {
		reading.serviceTier = textOr(fieldsIn(from.serviceTier)?.type, reading.serviceTier)
		reading.speed = textOr(fieldsIn(from.performanceConfig)?.latency, reading.speed)
		const usage = readUsage(from.usage)
		if (!usage) return
		reading.usage = usage
		reading.rawUsage = from.usage
		reading.complete = true
	}
	const addContent = (bytes: number) => {
		reading.generatedBytes += bytes
		reading.content ||= bytes > 0
	}
	const readEvent: Record<string, (event: Fields) => void> = {
		contentBlockStart: () => {
			reading.content = true
		},
		contentBlockDelta: ({ delta: value }) => {
			const delta = fieldsIn(value)
			const thought = utf8Bytes(fieldsIn(delta?.reasoningContent)?.text)
			addContent(utf8Bytes(delta?.text) + utf8Bytes(fieldsIn(delta?.toolUse)?.input) + thought)
		},
		messageStop: (event) => {
			reading.finishReason = textOr(event.stopReason, 'end_turn')
		},
		metadata: (event) => {
			readFigures(event)
			reading.ended = true
		},
	}

	return {
		fields: converseFields,
		reading,
		onHeaders: (headers) => noteErrorType(reading, headers),
		onBody: (found) => {
			const body = Object.fromEntries(found)
			readFigures(body)
			reading.finishReason = textOr(body.stopReason, '')
			readError(reading, body)
			reading.ended = true
		},
		onEvent: (data, name) => {
			const event = parseFields(data)
			if (name.startsWith('!')) {
				reading.errorType = name.slice(1)
				reading.errorMessage = textOr(event?.message, '')
			} else if (event && Object.hasOwn(readEvent, name)) readEvent[name]?.(event)
		},
	}
}

/**
 * The usage object of Converse as billed quantities: `inputTokens` is without cache reads and writes, and `cacheDetails`
 * says for how long was written. Null when there are no figures.
 */
export function readUsage(value: unknown): Usage | null {
	const usage = fieldsIn(value)
	if (!usage || (countOrNull(usage.inputTokens) === null && countOrNull(usage.outputTokens) === null))
		return null
	const cache_write_1h = writtenFor('1h', usage.cacheDetails)
	const written = countOrZero(usage.cacheWriteInputTokens ?? usage.cacheWriteInputTokenCount)
	const quantities = {
		in_text: countOrZero(usage.inputTokens),
		cache_read: countOrZero(usage.cacheReadInputTokens ?? usage.cacheReadInputTokenCount),
		cache_write_5m: Math.max(written - cache_write_1h, writtenFor('5m', usage.cacheDetails)),
		cache_write_1h,
		out_text: countOrZero(usage.outputTokens),
	}
	const isUnreadable = isAnyUnreadable([usage.inputTokens, usage.outputTokens])
	return {
		lines: linesOf(quantities),
		inconsistent: (cache_write_1h > written && written > 0) || isUnreadable,
	}
}

function writtenFor(ttl: string, details: unknown): number {
	const entries = (Array.isArray(details) ? details : []).map(fieldsIn)
	return entries.reduce((sum, entry) => (entry?.ttl === ttl ? sum + countOrZero(entry.inputTokens) : sum), 0)
}

/** What the models that InvokeModel runs call their figures, each in its own words; null when there are none. */
export function readNativeUsage(body: Fields): Usage | null {
	const metrics = fieldsIn(body['amazon-bedrock-invocationMetrics'])
	const tokens = countsIn(metrics ?? body)
	if (tokens) return { lines: linesOf(tokens), inconsistent: false }
	return readUsage(body.usage)
}

/** The headers with the figures of InvokeModel, by their names in its streams. Many models report none in their bodies. */
const countHeaders = {
	inputTokenCount: 'x-amzn-bedrock-input-token-count',
	outputTokenCount: 'x-amzn-bedrock-output-token-count',
	cacheReadInputTokenCount: 'x-amzn-bedrock-cache-read-input-token-count',
	cacheWriteInputTokenCount: 'x-amzn-bedrock-cache-write-input-token-count',
} as const

/** The figures in the headers of an answer, in the form of those in streams. */
function countsInHeaders(headers: IncomingHttpHeaders): Fields {
	const counts: Fields = {}
	for (const [name, header] of Object.entries(countHeaders))
		if (headers[header] !== undefined) counts[name] = Number(headers[header])
	return counts
}

function countsIn(body: Fields) {
	const input = countOrNull(body.inputTokenCount ?? body.prompt_token_count ?? body.inputTextTokenCount)
	const output = countOrNull(body.outputTokenCount ?? body.generation_token_count) ?? outputOfTitan(body)
	if (input === null && output === null) return null
	return {
		in_text: input ?? 0,
		cache_read: countOrZero(body.cacheReadInputTokenCount),
		cache_write_5m: countOrZero(body.cacheWriteInputTokenCount),
		out_text: output ?? 0,
	}
}

/** Titan counts the tokens of each of its texts. Its embeddings have none, and the results of a rerank have no tokens. */
function outputOfTitan({ results }: Fields): number | null {
	const counts = (Array.isArray(results) ? results : []).map((result) =>
		countOrNull(fieldsIn(result)?.tokenCount),
	)
	const reported = counts.filter((count) => count !== null)
	return reported.length === 0 ? null : reported.reduce((sum, count) => sum + count, 0)
}

/** Reads the answers of InvokeModel, plain or streamed, which have the format of the model's maker. */
function newInvokeReader(model: string): ResponseReader {
	const native = model.includes('anthropic.') ? newAnthropicReader({ operation: 'chat' }) : newPlainReader()
	const { reading } = native
	let tier = ''
	// The price depends on the name in the path, which tells the region, and the tier in the header; Claude's answers name their own.
	const keepTerms = () => {
		reading.model = ''
		reading.serviceTier = tier || reading.serviceTier
	}
	return {
		fields: new Set([...native.fields, ...errorFields]),
		reading,
		onHeaders: (headers) => {
			native.onHeaders?.(headers)
			tier = textOr(headers['x-amzn-bedrock-service-tier'], '')
			reading.speed = textOr(headers['x-amzn-bedrock-performanceconfig-latency'], '')
			return noteErrorType(reading, headers)
		},
		onBody: (found) => {
			native.onBody(found)
			readError(reading, Object.fromEntries(found))
			keepTerms()
		},
		onEvent: (data, name) => {
			const event = parseFields(data)
			if (name.startsWith('!')) {
				reading.errorType = name.slice(1)
				reading.errorMessage = textOr(event?.message, '')
			} else if (typeof event?.bytes === 'string') {
				native.onEvent(Buffer.from(event.bytes, 'base64').toString(), '')
				keepTerms()
			}
		},
	}
}

const nativeFields: ReadonlySet<string> = new Set([
	...['usage', 'prompt_token_count', 'generation_token_count', 'inputTextTokenCount'],
	...['stop_reason', 'stopReason', 'finish_reason', 'choices', 'outputs', 'results', 'generations'],
])
const metrics = 'amazon-bedrock-invocationMetrics'

/** For models of which only the figures and the end are needed. */
function newPlainReader(): ResponseReader {
	const reading = newReading()
	const read = (body: Fields) => {
		reading.finishReason = finishIn(body) || reading.finishReason
		const usage = readNativeUsage(body) ?? readOpenAiUsage(body.usage)
		if (!usage) return
		reading.usage = usage
		reading.rawUsage = body[metrics] ?? body.usage ?? null
		reading.complete = true
	}
	return {
		fields: nativeFields,
		reading,
		onHeaders: (headers) => {
			read({ [metrics]: countsInHeaders(headers) })
			return true
		},
		onBody: (found) => {
			read(Object.fromEntries(found))
			reading.ended = true
		},
		onEvent: (data) => {
			const event = parseFields(data)
			if (!event) return
			reading.content = true
			reading.generatedBytes += Buffer.byteLength(data)
			read(event)
			if (fieldsIn(event[metrics])) reading.ended = true
		},
	}
}

/** Each maker's lists of texts. */
const textLists = ['choices', 'outputs', 'results', 'generations'] as const

/** Why a model stopped, in the words of its maker; '' if it does not say. */
function finishIn(body: Fields): string {
	const lists = textLists.map((name) => body[name]).filter((list) => Array.isArray(list))
	const parts = [body, fieldsIn(body.messageStop), ...lists.map((list) => fieldsIn(list[0]))]
	for (const part of parts) {
		const reason = part?.stop_reason ?? part?.stopReason ?? part?.finish_reason ?? part?.completionReason
		if (typeof reason === 'string') return reason
	}
	return ''
}

const run = { modelCall: true, listed: true }
const ran = (operation: string, format: string): Surface => ({ ...run, operation, format })

/** The known paths of Bedrock's runtime, listed in docs/model-proxy.md. */
const surfaceOf = surfaceTable({
	'POST model/{model}/converse': ran('chat', 'converse'),
	'POST model/{model}/converse-stream': ran('chat', 'converse'),
	'POST model/{model}/invoke': ran('invoke', 'invoke'),
	'POST model/{model}/invoke-with-response-stream': ran('invoke', 'invoke'),
	'POST model/{model}/count-tokens': { operation: 'count_tokens', modelCall: false, listed: true },
})

const types: Record<number, string> = {
	401: 'AccessDeniedException',
	403: 'AccessDeniedException',
	404: 'ResourceNotFoundException',
	429: 'ThrottlingException',
	503: 'ServiceUnavailableException',
}

function typeOf(status: number): string {
	return types[status] ?? (status < 500 ? 'ValidationException' : 'InternalServerException')
}

/** `{__type,message}`, the form that AWS clients parse. They would take a `code` for the type. */
function errorBody({ status, message, code: reason }: Problem) {
	return { __type: typeOf(status), message, reason }
}

/** Exceptions that exist in Bedrock's streams. */
const streamTypes = new Set(['ThrottlingException', 'ValidationException', 'ServiceUnavailableException'])

/** A message of the binary stream that AWS clients raise as an error. */
function errorEvent({ status, message }: Problem): Buffer {
	const type = typeOf(status)
	const known = streamTypes.has(type) ? type : 'ModelStreamErrorException'
	const headers = {
		':message-type': 'exception',
		':exception-type': known.charAt(0).toLowerCase() + known.slice(1),
		':content-type': 'application/json',
	}
	return awsEventMessage(headers, JSON.stringify({ message }))
}

/** With a stored access key the request is signed; a stored Bedrock API key is a bearer token. */
function authorize(
	credential: string,
	request: OutgoingRequest,
	{ clock }: CredentialTools,
): HeaderList | Promise<HeaderList> {
	if (!credential.startsWith('{')) return ['authorization', `Bearer ${credential}`]
	return signRequest(JSON.parse(credential) as AwsCredential, request, clock.nowMs())
}

/** The caller's own Bedrock API key. A signature made by the caller is valid for Signalbox's address only. */
function ownKeyHeaders({ bearer }: OwnKeys): HeaderList | null {
	return bearer === null ? null : ['authorization', `Bearer ${bearer}`]
}

/** A stored AWS credential. */
interface AwsCredential {
	access_key_id: string
	secret_access_key: string
	region: string
	session_token?: string
}

/** The headers that authenticate a request with AWS Signature Version 4. Host, date and the hash of the body are signed. */
async function signRequest(
	{ access_key_id: accessKeyId, secret_access_key: secretAccessKey, region, session_token }: AwsCredential,
	{ method, origin, path, body }: OutgoingRequest,
	nowMs: number,
): Promise<HeaderList> {
	// It loads much code that most programs never need.
	const { SignatureV4 } = await import('@smithy/signature-v4')
	const signer = new SignatureV4({
		service: 'bedrock',
		region,
		sha256: Sha256,
		// Adds only the headers needed for authentication: the body's hash is signed, but not sent as a header.
		applyChecksum: false,
		credentials: { accessKeyId, secretAccessKey, ...(session_token && { sessionToken: session_token }) },
	})
	const { protocol, host, hostname, pathname, searchParams } = new URL(origin + path)
	const query = Object.fromEntries([...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]))
	const request = { protocol, hostname, method, path: pathname, query, headers: { host }, body }
	const { headers } = await signer.sign(request, { signingDate: new Date(nowMs) })
	return Object.entries(headers).flatMap(([name, value]) => (name === 'host' ? [] : [name, value]))
}

type Data = string | ArrayBuffer | ArrayBufferView

/** Node's hash with the interface that the signer expects: an HMAC if there is a key, otherwise a plain hash. */
class Sha256 {
	readonly #hash: ReturnType<typeof createHash> | ReturnType<typeof createHmac>

	constructor(secret?: Data) {
		this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret))
	}

	update(data: Data): void {
		this.#hash.update(bytesOf(data))
	}

	async digest(): Promise<Uint8Array> {
		return this.#hash.digest()
	}

	reset(): void {
		throw new Error('A hash is used once.')
	}
}

function bytesOf(data: Data): Uint8Array {
	if (typeof data === 'string') return Buffer.from(data)
	return ArrayBuffer.isView(data)
		? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
		: new Uint8Array(data)
}

export const bedrock: ModelProvider = {
	authorize,
	ownKeyHeaders,
	surfaceOf,
	newReader: ({ format, model = '' }) => (format === 'invoke' ? newInvokeReader(model) : newConverseReader()),
	...{ errorBody, errorEvent, requestIdHeader: 'x-amzn-requestid' },
	// The runtime does not list models. An invalid credential gets 403 before the model's name is checked.
	probe: () => ({
		method: 'POST',
		path: 'model/signalbox-probe/converse',
		headers: { 'content-type': 'application/json' },
		body: '{"messages":[]}',
		accepted: [400, 404],
	}),
}
