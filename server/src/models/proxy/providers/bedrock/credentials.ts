import { createHash, createHmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import type { OwnKeys } from '../../caller-keys.ts'
import type { CredentialTools, HeaderList, OutgoingRequest } from '../provider.ts'

/** A stored credential of AWS. */
export interface AwsCredential {
	access_key_id: string
	secret_access_key: string
	region: string
	session_token?: string
}

/** A stored access key signs the request; a stored API key of Bedrock is a bearer. */
export function authorize(
	credential: string,
	request: OutgoingRequest,
	{ clock }: CredentialTools,
): HeaderList | Promise<HeaderList> {
	if (!credential.startsWith('{')) return ['authorization', `Bearer ${credential}`]
	return signRequest(JSON.parse(credential) as AwsCredential, request, clock.nowMs())
}

/** The caller's own API key of Bedrock. A signature of the caller's holds for our address, not for Amazon's. */
export function ownKeyHeaders({ bearer }: OwnKeys): HeaderList | null {
	return bearer === null ? null : ['authorization', `Bearer ${bearer}`]
}

/** The headers that prove a request by AWS Signature Version 4: host, date and the hash of the body are signed. */
async function signRequest(
	{ access_key_id: accessKeyId, secret_access_key: secretAccessKey, region, session_token }: AwsCredential,
	{ method, origin, path, body }: OutgoingRequest,
	nowMs: number,
): Promise<HeaderList> {
	const signer = new SignatureV4({
		service: 'bedrock',
		region,
		sha256: Sha256,
		// Only the headers that prove it are added: the body's hash is signed without one of its own.
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

/** Node's own hash in the shape that the signer takes; without a key a hash, with one an HMAC. */
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
