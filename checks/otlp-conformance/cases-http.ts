import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { readPartialSuccess, readStatus } from './answers.ts'
import { type Answer, contentTypes, expectSameEncoding, expectSuccess, post, send } from './http-client.ts'
import { encode, newBody, newRequest, newSpan, requestOf } from './requests.ts'
import { type Case, type Encoding, encodings, expectThat, type Signal, signals } from './target.ts'

type Rule = Omit<Case, 'id' | 'transport'> & { name: string }

const retryable = [429, 502, 503, 504]

/** Expects a refusal after which the client must not retry, with a `google.rpc.Status` in the encoding of the request. */
function expectRefusal(answer: Answer, encoding: Encoding, ...statuses: number[]): void {
	expectThat(statuses.includes(answer.status), `answered ${answer.status}`)
	expectThat(!retryable.includes(answer.status), 'the status invites to a retry')
	expectSameEncoding(answer.headers, encoding)
	expectThat(readStatus(answer.body, encoding).message !== '', 'the Status has no message')
}

const compressions = { gzip: gzipSync, deflate: deflateSync, zstd: zstdCompressSync } as const

/** The rules that apply to each signal in each encoding. */
function rulesOf(signal: Signal, encoding: Encoding): Rule[] {
	const http = 'OTLP/HTTP'
	const empty = encoding === 'json' ? Buffer.from('{}') : Buffer.alloc(0)
	return [
		{
			name: 'success',
			rule: 'accepts a request and answers 200 with an empty message in the encoding of the request',
			reference: `${http} Response, Full Success`,
			level: 'MUST',
			run: async (target) =>
				expectSuccess(await post(target, signal, encoding, newBody(signal, encoding)), encoding),
		},
		{
			name: 'empty',
			rule: 'accepts a request without telemetry',
			reference: `${http} Request`,
			level: 'SHOULD',
			run: async (target) => expectSuccess(await post(target, signal, encoding, empty), encoding),
		},
		{
			name: 'parameters',
			rule: 'understands parameters of the Content-Type',
			reference: 'RFC 9110 8.3',
			level: 'MUST',
			run: async (target) => {
				const headers = { 'content-type': `${contentTypes[encoding]}; charset=utf-8` }
				expectSuccess(await post(target, signal, encoding, newBody(signal, encoding), headers), encoding)
			},
		},
		...Object.entries(compressions).map(
			([name, compress]): Rule => ({
				name,
				rule: `accepts a body compressed with ${name}`,
				reference: name === 'gzip' ? `${http} Request, Content-Encoding` : 'extension',
				level: name === 'gzip' ? 'MUST' : 'MAY',
				run: async (target) => {
					const body = compress(newBody(signal, encoding))
					expectSuccess(await post(target, signal, encoding, body, { 'content-encoding': name }), encoding)
				},
			}),
		),
		{
			name: 'accept-gzip',
			rule: 'sends a response that a client which accepts gzip can read',
			reference: `${http} Response`,
			level: 'MAY',
			run: async (target) => {
				const headers = { 'accept-encoding': 'gzip' }
				expectSuccess(await post(target, signal, encoding, newBody(signal, encoding), headers), encoding)
			},
		},
		{
			name: 'repeated',
			rule: 'accepts the same body again after a lost response',
			reference: 'OTLP Duplicate Data',
			level: 'MUST',
			run: async (target) => {
				const body = newBody(signal, encoding)
				for (let i = 0; i < 2; i++) expectSuccess(await post(target, signal, encoding, body), encoding)
			},
		},
		{
			name: 'concurrent',
			rule: 'accepts 16 concurrent requests',
			reference: `${http} Concurrent Requests`,
			level: 'SHOULD',
			run: async (target) => {
				const answers = Array.from({ length: 16 }, () =>
					post(target, signal, encoding, newBody(signal, encoding)),
				)
				for (const answer of await Promise.all(answers)) expectSuccess(answer, encoding)
			},
		},
		{
			name: 'unknown-fields',
			rule: 'ignores unknown fields',
			reference: 'OTLP JSON Protobuf Encoding; protobuf, unknown fields',
			level: 'MUST',
			run: async (target) => {
				const request = { ...newRequest(signal, { futureField: [{}] }), futureField: { a: 1 } }
				expectSuccess(await post(target, signal, encoding, encode(signal, encoding, request)), encoding)
			},
		},
		{
			name: 'bad-data',
			rule: 'answers 400 to bytes that are not a message, with a Status and BadRequest in its details',
			reference: `${http} Failures, Bad Data`,
			level: 'MUST',
			run: async (target) => {
				const answer = await post(target, signal, encoding, Buffer.from('{"a": \u00ff'))
				expectRefusal(answer, encoding, 400)
				const { details } = readStatus(answer.body, encoding)
				expectThat(
					details.some((type) => type.endsWith('google.rpc.BadRequest')),
					'BadRequest is not in the details',
				)
			},
		},
		{
			name: 'bad-compression',
			rule: 'answers 4xx to a body that does not match its Content-Encoding',
			reference: `${http} Failures`,
			level: 'MUST',
			run: async (target) => {
				const body = newBody(signal, encoding)
				expectRefusal(
					await post(target, signal, encoding, body, { 'content-encoding': 'gzip' }),
					encoding,
					400,
				)
			},
		},
		{
			name: 'unknown-compression',
			rule: 'answers 4xx to an unknown Content-Encoding',
			reference: `${http} Failures`,
			level: 'MUST',
			run: async (target) => {
				const answer = await post(target, signal, encoding, newBody(signal, encoding), {
					'content-encoding': 'rot13',
				})
				expectRefusal(answer, encoding, 400, 415)
			},
		},
		{
			name: 'size-limit',
			rule: 'limits the size after decompression (413 for 67 MiB of zeros)',
			reference: 'OTLP 1.11 Size Limits',
			level: 'MUST',
			run: async (target) => {
				const answer = await post(target, signal, encoding, zeros, { 'content-encoding': 'gzip' })
				expectRefusal(answer, encoding, 413)
			},
		},
		{
			name: 'expect-continue',
			rule: 'answers 100 Continue to a client that asks before it sends the body',
			reference: 'RFC 9110 10.1.1',
			level: 'MUST',
			run: async (target) => {
				const answer = await post(target, signal, encoding, newBody(signal, encoding), {
					expect: '100-continue',
				})
				expectThat(answer.continued, 'there was no 100 Continue')
				expectSuccess(answer, encoding)
			},
		},
		{
			name: 'method',
			rule: 'permanently refuses methods other than POST, with a Status',
			reference: `${http} Request`,
			level: 'MUST',
			run: async (target) => {
				const headers = { 'content-type': contentTypes[encoding] }
				const answer = await send(target, `/v1/${signal}`, {
					method: 'PUT',
					body: newBody(signal, encoding),
					headers,
				})
				expectRefusal(answer, encoding, 405)
			},
		},
		{
			name: 'credential',
			rule: 'permanently refuses a request without a credential, with a Status (if it requires credentials)',
			reference: `${http} Failures`,
			level: 'MUST',
			run: async (target) => {
				const headers = { 'content-type': contentTypes[encoding] }
				const body = newBody(signal, encoding)
				const answer = await send(target, `/v1/${signal}`, { body, headers, withoutCredential: true })
				if (answer.status !== 200) expectRefusal(answer, encoding, 401, 403)
			},
		},
	]
}

const zeros = gzipSync(Buffer.alloc(67 * 1024 * 1024))

/** A span without a valid id is the only item that every receiver has to reject individually. */
function partialSuccess(encoding: Encoding): Rule {
	return {
		name: 'partial-success',
		rule: 'accepts the valid spans of a request and reports how many it rejected, and why',
		reference: 'OTLP/HTTP Response, Partial Success',
		level: 'MUST',
		run: async (target) => {
			const items = [newSpan(), newSpan({ traceId: '0'.repeat(32) }), newSpan({ spanId: '' })]
			const body = encode('traces', encoding, requestOf('traces', items))
			const answer = await post(target, 'traces', encoding, body)
			expectThat(answer.status === 200, `answered ${answer.status}`)
			expectSameEncoding(answer.headers, encoding)
			const { rejected, errorMessage } = readPartialSuccess(answer.body, 'traces', encoding)
			expectThat(rejected === 2, `it says that ${rejected} spans were rejected, not 2`)
			expectThat(errorMessage !== '', 'it does not say why')
		},
	}
}

const named =
	(prefix: string) =>
	({ name, ...rule }: Rule): Case => ({
		id: `${prefix}/${name}`,
		transport: 'http',
		...rule,
	})

export const httpCases: readonly Case[] = [
	...signals.flatMap((signal) =>
		encodings.flatMap((encoding) => rulesOf(signal, encoding).map(named(`http/${signal}/${encoding}`))),
	),
	...encodings.map((encoding) => named(`http/traces/${encoding}`)(partialSuccess(encoding))),
	...signals.map((signal) =>
		named(`http/${signal}`)({
			name: 'content-type',
			rule: 'answers 4xx to another Content-Type',
			reference: 'OTLP/HTTP Request',
			level: 'MUST',
			run: async (target) => {
				const answer = await post(target, signal, 'json', Buffer.from('a: b'), {
					'content-type': 'text/yaml',
				})
				expectThat([400, 415].includes(answer.status), `answered ${answer.status}`)
			},
		}),
	),
	named('http')({
		name: 'path',
		rule: 'answers 404 to an unknown path',
		reference: 'OTLP/HTTP Request',
		level: 'MUST',
		run: async (target) => {
			const { status } = await send(target, '/v1/nothing', { body: Buffer.from('{}') })
			expectThat(status === 404, `answered ${status}`)
		},
	}),
]
