import type { AuthorizationContext } from '../context.ts'
import { OauthError } from '../oauth-error.ts'
import type { Client } from './client.ts'
import { isDocumentId } from './metadata-document.ts'
import { registeredClient } from './register-client.ts'

/** The client of an id: one that registered itself here, or one whose id is the address of its description. */
export async function findClient(
	{ sealer, documents }: Pick<AuthorizationContext, 'sealer' | 'documents'>,
	id: string,
): Promise<Client> {
	const registered = registeredClient(sealer, id)
	if (registered) return registered
	if (isDocumentId(id)) return documents.read(id)
	throw new OauthError(
		'invalid_client',
		'This client_id is not known. Register first, or use the address of a description.',
	)
}
