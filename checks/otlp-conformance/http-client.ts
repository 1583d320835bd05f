import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { gunzipSync } from 'node:zlib'
import { type Encoding, expectThat, type Signal, type Target } from './target.ts'

export const contentTypes = { protobuf: 'application/x-protobuf', json: 'application/json' } as const

export interface Answer {
	status: number
	headers: IncomingHttpHeaders
	/** After decompression. */
	body: Buffer
	/** Whether `100 Continue` was received first. */
	continued: boolean
}

interface Sent {
	body: Buffer
	headers?: Record<string, string>
	method?: string
	withoutCredential?: boolean
}

/** Sends one request over HTTP/1.1. */
export function send(
	target: Target,
	path: string,
	{ body, headers, method = 'POST', withoutCredential }: Sent,
): Promise<Answer> {
	return new Promise((resolve, reject) => {
		const url = new URL(`${target.url.replace(/\/$/, '')}${path}`)
		const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
			method,
			headers: { ...(!withoutCredential && target.headers), 'content-length': body.length, ...headers },
		})
		let continued = false
		request.once('continue', () => {
			continued = true
			request.end(body)
		})
		request.once('error', reject)
		request.once('response', (response) => {
			const chunks: Buffer[] = []
			response.on('data', (chunk) => chunks.push(chunk))
			response.once('error', reject)
			response.once('end', () => {
				const whole = Buffer.concat(chunks)
				const zipped = response.headers['content-encoding'] === 'gzip'
				resolve({
					status: response.statusCode ?? 0,
					headers: response.headers,
					body: zipped ? gunzipSync(whole) : whole,
					continued,
				})
			})
		})
		if (headers?.expect) request.flushHeaders()
		else request.end(body)
	})
}

export function post(
	target: Target,
	signal: Signal,
	encoding: Encoding,
	body: Buffer,
	headers: Record<string, string> = {},
): Promise<Answer> {
	return send(target, `/v1/${signal}`, {
		body,
		headers: { 'content-type': contentTypes[encoding], ...headers },
	})
}

/** Expects 200 with an empty response message in the encoding of the request. */
export function expectSuccess({ status, headers, body }: Answer, encoding: Encoding): void {
	expectThat(status === 200, `answered ${status}: ${body.toString('utf8').slice(0, 200)}`)
	expectSameEncoding(headers, encoding)
	const isEmpty =
		encoding === 'json' ? JSON.stringify(JSON.parse(body.toString())) === '{}' : body.length === 0
	expectThat(isEmpty, `the response message is not empty: ${body.toString('utf8').slice(0, 200)}`)
}

export function expectSameEncoding(headers: IncomingHttpHeaders, encoding: Encoding): void {
	const type = headers['content-type']?.split(';')[0]
	expectThat(type === contentTypes[encoding], `the Content-Type of the answer is ${type}`)
}
