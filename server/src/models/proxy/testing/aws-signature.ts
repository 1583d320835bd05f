import { createHash, createHmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import type { ReceivedRequest } from '../testing.ts'

interface Credential {
	access_key_id: string
	secret_access_key: string
	region: string
	session_token?: string
}

/** The `authorization` header that Amazon's own signer computes for a received request, for comparison. */
export async function mockSignature(
	{ method, path, headers, body }: ReceivedRequest,
	given: Credential,
): Promise<string> {
	const signer = new SignatureV4({
		service: 'bedrock',
		region: given.region,
		credentials: {
			accessKeyId: given.access_key_id,
			secretAccessKey: given.secret_access_key,
			...(given.session_token && { sessionToken: given.session_token }),
		},
		sha256: Sha256 as never,
		applyChecksum: false,
	})
	const host = String(headers.host)
	const date = String(headers['x-amz-date'])
	const request = {
		method,
		path: path.split('?')[0] ?? '',
		hostname: host,
		headers: { host },
		body,
		protocol: 'http:',
	}
	const signed = await signer.sign(request, { signingDate: dateOf(date) })
	return signed.headers.authorization ?? ''
}

function dateOf(text: string): Date {
	return new Date(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}

/** The hash with the interface that the signer expects. */
class Sha256 {
	readonly #hash
	constructor(secret?: string | Uint8Array) {
		this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as Uint8Array)
	}
	update(data: Uint8Array): void {
		this.#hash.update(data)
	}
	async digest(): Promise<Uint8Array> {
		return this.#hash.digest()
	}
	reset(): void {}
}
