import type { OwnKeys } from '../../caller-keys.ts'
import type { CredentialTools, HeaderList, OutgoingRequest } from '../provider.ts'
import { type AwsCredential, signRequest } from './sigv4.ts'

/** A stored access key signs the request; a stored API key of Bedrock is a bearer. */
export function authorize(
	credential: string,
	request: OutgoingRequest,
	{ clock }: CredentialTools,
): HeaderList {
	if (!credential.startsWith('{')) return ['authorization', `Bearer ${credential}`]
	return signRequest(JSON.parse(credential) as AwsCredential, request, clock.nowMs())
}

/** The caller's own API key of Bedrock. A signature of the caller's holds for our address, not for Amazon's. */
export function ownKeyHeaders({ bearer }: OwnKeys): HeaderList | null {
	return bearer === null ? null : ['authorization', `Bearer ${bearer}`]
}
