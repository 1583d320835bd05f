import type { Configuration, CustomFetch } from 'openid-client'
import type { SignInProvider } from '../../../config/config.ts'
import { type FlowSecrets, type Profile, toProfile } from './profile.ts'
import { SignInError } from './sign-in-error.ts'

/** Loaded at the first sign-in: most instances never need it. */
export const loadClient = () => import('openid-client')

const timeoutS = 10

/** Where to send the browser. Throws `SignInError` or what `openid-client` throws. */
export async function beginOidc(
	provider: SignInProvider,
	send: CustomFetch,
	flow: FlowSecrets,
): Promise<URL> {
	const client = await loadClient()
	return client.buildAuthorizationUrl(await discover(provider, send), {
		redirect_uri: flow.redirectUri,
		scope: provider.scopes,
		state: flow.state,
		nonce: flow.nonce,
		code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
		code_challenge_method: 'S256',
	})
}

/** Exchanges the code that the provider sent the browser back with for a checked profile. */
export async function finishOidc(
	provider: SignInProvider,
	send: CustomFetch,
	flow: FlowSecrets,
	search: string,
): Promise<Profile> {
	const client = await loadClient()
	const configuration = await discover(provider, send)
	const tokens = await client.authorizationCodeGrant(
		configuration,
		new URL(`${flow.redirectUri}?${search}`),
		{
			expectedState: flow.state,
			expectedNonce: flow.nonce,
			pkceCodeVerifier: flow.verifier,
			idTokenExpected: true,
		},
	)
	const claims = tokens.claims()
	if (!claims) throw new SignInError('answer_invalid')
	const more = isComplete(claims, provider)
		? {}
		: await userInfo(configuration, tokens.access_token, claims.sub)
	return toProfile({ ...more, ...claims }, provider)
}

/** Asked anew for each step: a sign-in is rare, and what is not kept cannot be stale or somebody else's. */
async function discover(provider: SignInProvider, send: CustomFetch): Promise<Configuration> {
	const client = await loadClient()
	const issuer = new URL(provider.issuer)
	const insecure = issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []
	const found = await client.discovery(issuer, provider.clientId, {}, client.None(), {
		[client.customFetch]: send,
		timeout: timeoutS,
		execute: insecure,
	})
	const metadata = found.serverMetadata()
	if (!provider.assumePkce && !metadata.supportsPKCE()) throw new SignInError('provider_unsuitable')
	const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
	const configuration = new client.Configuration(
		metadata,
		provider.clientId,
		{},
		clientAuthentication(client, provider.clientSecret, methods),
	)
	configuration[client.customFetch] = send
	configuration.timeout = timeoutS
	// The signature is checked though the token came from the provider directly: more than the standard asks for.
	client.enableNonRepudiationChecks(configuration)
	for (const allow of insecure) allow(configuration)
	return configuration
}

function clientAuthentication(
	client: Awaited<ReturnType<typeof loadClient>>,
	secret: string | null,
	methods: readonly string[],
) {
	if (secret === null) return client.None()
	return methods.includes('client_secret_basic')
		? client.ClientSecretBasic(secret)
		: client.ClientSecretPost(secret)
}

function isComplete(claims: Record<string, unknown>, { groups, groupsClaim }: SignInProvider): boolean {
	return claims.email !== undefined && (groups.length === 0 || claims[groupsClaim] !== undefined)
}

async function userInfo(configuration: Configuration, accessToken: string, subject: string): Promise<object> {
	if (configuration.serverMetadata().userinfo_endpoint === undefined) return {}
	return (await loadClient()).fetchUserInfo(configuration, accessToken, subject)
}
