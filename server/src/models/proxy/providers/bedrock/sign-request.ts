import { createHash, createHmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import type { HeaderList, OutgoingRequest } from '../provider.ts'

/** A stored AWS credential. */
export interface AwsCredential {
	access_key_id: string
	secret_access_key: string
	region: string
	session_token?: string
}

/** The headers that authenticate a request with AWS Signature Version 4. Host, date and the hash of the body are signed. */
export async function signRequest(
	{ access_key_id: accessKeyId, secret_access_key: secretAccessKey, region, session_token }: AwsCredential,
	{ method, origin, path, body }: OutgoingRequest,
	nowMs: number,
): Promise<HeaderList> {
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
