import { createHash, createHmac } from 'node:crypto'
import type { HeaderList, OutgoingRequest } from '../provider.ts'

/** A stored credential of AWS. */
export interface AwsCredential {
	access_key_id: string
	secret_access_key: string
	region: string
	session_token?: string
}

const service = 'bedrock'
const algorithm = 'AWS4-HMAC-SHA256'

/** The headers that prove a request by AWS Signature Version 4: host, date and the hash of the body are signed. */
export function signRequest(credential: AwsCredential, request: OutgoingRequest, nowMs: number): HeaderList {
	const { access_key_id, secret_access_key, region, session_token } = credential
	const date = new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, '')
	const scope = [date.slice(0, 8), region, service, 'aws4_request']
	const signed: [string, string][] = [
		['host', new URL(request.origin).host],
		['x-amz-date', date],
		...(session_token ? [['x-amz-security-token', session_token] as [string, string]] : []),
	]
	const names = signed.map(([name]) => name).join(';')
	const toSign = [algorithm, date, scope.join('/'), sha256(canonicalRequest(request, signed, names))].join(
		'\n',
	)
	const key = scope.reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${secret_access_key}`)
	const signature = createHmac('sha256', key).update(toSign).digest('hex')
	const proof = `Credential=${access_key_id}/${scope.join('/')}, SignedHeaders=${names}, Signature=${signature}`
	return ['authorization', `${algorithm} ${proof}`, ...signed.slice(1).flat()]
}

function canonicalRequest(
	{ method, path, body }: OutgoingRequest,
	signed: readonly [string, string][],
	names: string,
): string {
	const [pathname = '', search = ''] = path.split('?')
	// The path as it was sent is encoded once more; only S3 does without.
	const uri = pathname.split('/').map(encode).join('/')
	const query = [...new URLSearchParams(search)]
		.map((pair) => pair.map(encode).join('='))
		.sort()
		.join('&')
	const headers = signed.map(([name, value]) => `${name}:${value.trim()}\n`).join('')
	return [method, uri, query, headers, names, sha256(body)].join('\n')
}

function encode(text: string): string {
	return encodeURIComponent(text).replace(
		/[!'()*]/g,
		(sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
	)
}

function sha256(data: string | Buffer): string {
	return createHash('sha256').update(data).digest('hex')
}

function hmac(key: string | Buffer, data: string): Buffer {
	return createHmac('sha256', key).update(data).digest()
}
