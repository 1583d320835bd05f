import type { AuthorizationCodeGrantChecks, Configuration, CustomFetch } from 'openid-client'
import type { SignInProvider } from '../../../config/sign-in-providers.ts'
import { SignInError } from './federation-context.ts'

/** Who has signed in, according to a provider. Issuer and subject are the identity; the rest describes it. */
export interface Profile {
	issuer: string
	subject: string
	/** Lower case. */
	email: string | null
	/** Whether the issuer says that it has verified the address. */
	emailVerified: boolean
	name: string
	groups: string[]
}

/** The secrets of one sign-in at a provider; each is used once. */
export interface FlowSecrets {
	state: string
	nonce: string
	/** PKCE code verifier. */
	verifier: string
	redirectUri: string
}

/** Loaded on the first sign-in, because most instances never need it. */
const loadClient = () => import('openid-client')

const timeoutS = 10

/** The URL to redirect the browser to. Throws `SignInError` or an error of `openid-client`. */
export async function beginOidc(
	provider: SignInProvider,
	send: CustomFetch,
	flow: FlowSecrets,
): Promise<URL> {
	return authorizationUrl(await discover(provider, send), flow, { scope: provider.scopes, nonce: flow.nonce })
}

/** Exchanges the code from the provider's redirect for a verified profile. */
export async function finishOidc(
	provider: SignInProvider,
	send: CustomFetch,
	flow: FlowSecrets,
	search: string,
): Promise<Profile> {
	const configuration = await discover(provider, send)
	const checks = { expectedNonce: flow.nonce, idTokenExpected: true }
	const tokens = await exchangeCode(configuration, flow, search, checks)
	const claims = tokens.claims()
	// Some providers fill the subject from a field that is empty for many people: they would all be the same person here.
	if (!claims?.sub.trim()) throw new SignInError('answer_invalid', new Error('the ID token has no subject'))
	const ask = () => userInfo(configuration, tokens.access_token, claims.sub)
	const more = isComplete(claims, provider) ? await verification(claims, provider, ask) : await ask()
	const all = { ...ofSameAddress(more, claims), ...claims }
	if (provider.groups.length > 0 && areGroupsElsewhere(all, provider))
		throw new SignInError('groups_incomplete')
	return toProfile(all, provider)
}

type Claims = Record<string, unknown>

/**
 * Some providers put the address into the ID token, and only userinfo says that it is verified. A person who is known needs no
 * verified address, so userinfo may fail here.
 */
async function verification(
	claims: Claims,
	{ trustEmail }: SignInProvider,
	ask: () => Promise<Claims>,
): Promise<Claims> {
	return trustEmail || claims.email_verified !== undefined ? {} : await ask().catch(() => ({}))
}

/** Without the verification of another address than that of the ID token. */
function ofSameAddress({ email_verified, ...more }: Claims, { email }: Claims): Claims {
	const isSame = textOf(email)?.toLowerCase() === textOf(more.email)?.toLowerCase()
	return email === undefined || isSame ? { email_verified, ...more } : more
}

/** Not cached: sign-ins are rare, and without a cache nothing can be outdated or mixed up. */
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
	if (!provider.assumePkce && !metadata.supportsPKCE())
		throw new SignInError(
			'provider_unsuitable',
			new Error(`${provider.issuer} does not announce PKCE (S256)`),
		)
	const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
	const configuration = new client.Configuration(
		metadata,
		provider.clientId,
		{},
		clientAuthentication(client, provider.clientSecret, methods),
	)
	configuration[client.customFetch] = send
	configuration.timeout = timeoutS
	// Verifies the signature although the token came directly from the provider, which is more than the standard requires.
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

function isComplete(claims: Claims, { groups, groupsClaim }: SignInProvider): boolean {
	return claims.email !== undefined && (groups.length === 0 || claimOf(claims, groupsClaim) !== undefined)
}

/**
 * Whether the person has groups that were not sent: a distributed claim, as Entra ID sends it for people in more than 200 groups,
 * or its `hasgroups`. Without this the person would lose every membership that the groups give.
 */
function areGroupsElsewhere(claims: Claims, { groupsClaim }: SignInProvider): boolean {
	if (claimOf(claims, groupsClaim) !== undefined) return false
	const outer = groupsClaim.split('.')[0] as string
	const isDistributed = [groupsClaim, outer].some((name) => memberOf(claims._claim_names, name) !== undefined)
	return isDistributed || claims.hasgroups === true || claims.hasgroups === 'true'
}

async function userInfo(configuration: Configuration, accessToken: string, subject: string): Promise<Claims> {
	if (configuration.serverMetadata().userinfo_endpoint === undefined) return {}
	return (await loadClient()).fetchUserInfo(configuration, accessToken, subject)
}

/** GitHub uses OAuth 2.0 without ID tokens, so its API is asked for the person, with the token received for the code. */
export async function beginGithub(
	provider: SignInProvider,
	send: CustomFetch,
	flow: FlowSecrets,
): Promise<URL> {
	const scope = provider.groups.length > 0 ? `${provider.scopes} read:org` : provider.scopes
	return authorizationUrl(await configure(provider, send), flow, { scope })
}

export async function finishGithub(
	provider: SignInProvider,
	send: CustomFetch,
	flow: FlowSecrets,
	search: string,
): Promise<Profile> {
	const tokens = await exchangeCode(await configure(provider, send), flow, search)
	const api = createApi(provider, send, tokens.access_token)
	const user = await api<{ id?: unknown; login?: unknown; name?: unknown }>('/user')
	if (!Number.isSafeInteger(user.id)) throw new SignInError('answer_invalid')
	const email = await primaryEmail(api)
	return {
		issuer: provider.issuer,
		// A login name can be released and taken by somebody else; the numeric id cannot.
		subject: String(user.id),
		email,
		emailVerified: email !== null,
		name: String(user.name ?? user.login ?? '').slice(0, 100),
		groups: provider.groups.length > 0 ? await teams(api) : [],
	}
}

async function configure(
	{ issuer, clientId, clientSecret }: SignInProvider,
	send: CustomFetch,
): Promise<Configuration> {
	const client = await loadClient()
	const base = issuer.replace(/\/$/, '')
	const configuration = new client.Configuration(
		{
			issuer,
			authorization_endpoint: `${base}/login/oauth/authorize`,
			token_endpoint: `${base}/login/oauth/access_token`,
		},
		clientId,
		{},
		client.ClientSecretPost(clientSecret ?? ''),
	)
	configuration[client.customFetch] = send
	if (base.startsWith('http:')) client.allowInsecureRequests(configuration)
	return configuration
}

type Api = <T>(path: string) => Promise<T>

function createApi({ apiUrl }: SignInProvider, send: CustomFetch, token: string): Api {
	return async <T>(path: string) => {
		const answer = await send(`${apiUrl}${path}`, {
			method: 'GET',
			redirect: 'manual',
			body: undefined,
			headers: {
				accept: 'application/vnd.github+json',
				authorization: `Bearer ${token}`,
				'user-agent': 'signalbox',
				'x-github-api-version': '2022-11-28',
			},
		})
		if (answer.status !== 200) throw new SignInError('answer_invalid', new Error(`${path}: ${answer.status}`))
		return (await answer.json()) as T
	}
}

async function primaryEmail(api: Api): Promise<string | null> {
	const emails = await api<{ email: string; primary: boolean; verified: boolean }[]>('/user/emails')
	const primary = emails.find((entry) => entry.primary === true && entry.verified === true)
	return primary?.email.toLowerCase() ?? null
}

const teamsPerPage = 100
const maxTeamPages = 10

/** As `organization` and `organization/team`. */
async function teams(api: Api): Promise<string[]> {
	const groups = new Set<string>()
	for (let page = 1; ; page += 1) {
		if (page > maxTeamPages) throw new SignInError('groups_incomplete')
		const query = `per_page=${teamsPerPage}&page=${page}`
		const found = await api<{ slug: string; organization: { login: string } }[]>(`/user/teams?${query}`)
		for (const { slug, organization } of found)
			groups.add(organization.login).add(`${organization.login}/${slug}`)
		if (found.length < teamsPerPage) return [...groups]
	}
}

/** With PKCE, as for every provider. */
async function authorizationUrl(
	configuration: Configuration,
	flow: FlowSecrets,
	parameters: { scope: string; nonce?: string },
): Promise<URL> {
	const client = await loadClient()
	return client.buildAuthorizationUrl(configuration, {
		redirect_uri: flow.redirectUri,
		state: flow.state,
		code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
		code_challenge_method: 'S256',
		...parameters,
	})
}

/** The tokens for the code in `search`, the query of the provider's redirect. */
async function exchangeCode(
	configuration: Configuration,
	flow: FlowSecrets,
	search: string,
	more: Pick<AuthorizationCodeGrantChecks, 'expectedNonce' | 'idTokenExpected'> = {},
) {
	const client = await loadClient()
	const checks = { expectedState: flow.state, pkceCodeVerifier: flow.verifier, ...more }
	return client.authorizationCodeGrant(configuration, new URL(`${flow.redirectUri}?${search}`), checks)
}

/** Reads the claims of an ID token and of userinfo. */
export function toProfile(
	claims: Claims,
	{ groupsClaim, trustEmail }: { groupsClaim: string; trustEmail: boolean },
): Profile {
	const email = textOf(claims.email)
	return {
		issuer: String(claims.iss),
		subject: String(claims.sub),
		email:
			email === null || !/^[^@\s]+@[^@\s]+$/.test(email) || email.length > 254 ? null : email.toLowerCase(),
		// Some providers send booleans as text.
		emailVerified: trustEmail || claims.email_verified === true || claims.email_verified === 'true',
		name: (textOf(claims.name) ?? '').slice(0, 100),
		groups: groupsIn(claims, groupsClaim),
	}
}

/** An array or a single string. No groups if it is missing. */
function groupsIn(claims: Claims, name: string): string[] {
	const value = claimOf(claims, name)
	if (typeof value === 'string') return [value]
	return Array.isArray(value) ? value.filter((group) => typeof group === 'string') : []
}

/** A nested claim is named with dots, as in `realm_access.roles`. */
function claimOf(claims: Claims, name: string): unknown {
	return Object.hasOwn(claims, name)
		? claims[name]
		: name.split('.').reduce<unknown>((inner, key) => memberOf(inner, key), claims)
}

function memberOf(value: unknown, key: string): unknown {
	return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
		? (value as Claims)[key]
		: undefined
}

function textOf(value: unknown): string | null {
	return typeof value === 'string' && value.isWellFormed() && !value.includes('\0') ? value.trim() : null
}
