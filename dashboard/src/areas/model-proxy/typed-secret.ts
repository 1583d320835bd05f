import type { Connection } from './queries.ts'

/** The fields of a connection's secret, as typed. */
export interface TypedSecret {
	key: string
	accessKeyId: string
	secretAccessKey: string
	sessionToken: string
	region: string
	serviceAccount: string
	project: string
	location: string
}

export const emptySecret: TypedSecret = {
	...{ key: '', accessKeyId: '', secretAccessKey: '', sessionToken: '', region: '' },
	...{ serviceAccount: '', project: '', location: '' },
}

/** The secret in the form of the API; throws an Error for a service account that is not JSON. */
export function secretToSend(provider: Connection['provider'], typed: TypedSecret) {
	if (provider === 'bedrock') {
		const { accessKeyId, secretAccessKey, sessionToken, region } = typed
		const token = sessionToken && { session_token: sessionToken }
		return {
			credential: { access_key_id: accessKeyId, secret_access_key: secretAccessKey, region, ...token },
		}
	}
	if (provider !== 'vertex') return { key: typed.key }
	const { serviceAccount, project, location } = typed
	return { credential: { service_account: parse(serviceAccount), project, location } }
}

function parse(text: string) {
	try {
		return JSON.parse(text)
	} catch {
		throw new Error('The service account is not the JSON of a key file.')
	}
}
