import { type Role, roles } from '@signalbox/contract'
import { isLoopbackHost, oneOf, text, urlOf } from './parse.ts'

/** What members of a provider's group get here. */
interface GroupRule {
	group: string
	/** Workspace id or name. */
	workspace: string
	role: Role
	/** Groups of agents that the person gets in the workspace. */
	agentGroups: string[]
	/** Whether to create the workspace if it does not exist. */
	create: boolean
}

/** Parses `group=workspace:role` or `group=workspace:role:agents+others`, separated by commas, or a JSON array of objects. */
function groupMapping(text: string): GroupRule[] {
	return text.trimStart().startsWith('[') ? readJson(text) : text.split(',').filter(Boolean).map(readEntry)
}

function readEntry(entry: string): GroupRule {
	const [, group = '', workspace = '', role = '', agentGroups = ''] =
		entry.trim().match(/^([^=]+)=([^:]+):(\w+)(?::(.+))?$/) ?? []
	if (!group)
		throw new Error(`"${entry.trim()}" is not a rule like group=workspace:role; names with , = : need JSON`)
	return rule({ group, workspace, role, agent_groups: agentGroups.split('+').filter(Boolean) })
}

function readJson(text: string): GroupRule[] {
	let entries: unknown
	try {
		entries = JSON.parse(text)
	} catch {
		throw new Error('starts like a JSON array, but is not one')
	}
	return (entries as unknown[]).map((entry) => rule((entry ?? {}) as Record<string, unknown>))
}

const known = ['group', 'workspace', 'role', 'agent_groups', 'create']

function rule(entry: Record<string, unknown>): GroupRule {
	const { group, workspace, role, agent_groups: agentGroups = [], create = false } = entry
	const unknown = Object.keys(entry).filter((name) => !known.includes(name))
	if (unknown.length > 0)
		throw new Error(`a rule has no ${unknown.join(', ')}; there are ${known.join(', ')}`)
	if (typeof group !== 'string' || !group || typeof workspace !== 'string' || !workspace)
		throw new Error('a rule needs the texts group and workspace')
	if (!roles.includes(role as Role))
		throw new Error(`the role of group "${group}" is one of ${roles.join(', ')}, not "${String(role)}"`)
	if (
		!Array.isArray(agentGroups) ||
		agentGroups.some((name) => typeof name !== 'string') ||
		typeof create !== 'boolean'
	)
		throw new Error(
			`in the rule of group "${group}", agent_groups is a list of texts and create true or false`,
		)
	return { group, workspace, role: role as Role, agentGroups, create }
}

const signups = ['anyone', 'mapped', 'invited', 'nobody'] as const

/** A provider for signing in, from `SIGNALBOX_OIDC_<NAME>_*`. */
export interface SignInProvider {
	/** NAME in lower case, with `-` instead of `_`: part of paths. */
	id: string
	kind: 'oidc' | 'github'
	label: string
	issuer: string
	/** URL of GitHub's API; null for other providers. */
	apiUrl: string | null
	clientId: string
	clientSecret: string | null
	scopes: string
	groupsClaim: string
	groups: GroupRule[]
	/** Who may create an account by signing in; null: as the setting `signup`. */
	signup: (typeof signups)[number] | null
	/** Whether the issuer's e-mail addresses count as verified even if it does not say so. */
	trustEmail: boolean
	/** Whether to assume support for S256 even if the provider does not announce it. */
	assumePkce: boolean
}

const fields = {
	ISSUER: httpsUrl,
	CLIENT_ID: text,
	CLIENT_SECRET: text,
	SCOPES: text,
	LABEL: text,
	GROUPS_CLAIM: text,
	GROUPS: groupMapping,
	SIGNUP: oneOf(...signups),
	TRUST_EMAIL: oneOf('on', 'off'),
	PKCE: oneOf('announced', 'assumed'),
	API_URL: httpsUrl,
}
type Field = keyof typeof fields
type Fields = { [K in Field]?: ReturnType<(typeof fields)[K]> }

const prefix = 'SIGNALBOX_OIDC_'

export function isProviderSetting(name: string): boolean {
	return name.startsWith(prefix)
}

/** Reads all providers; errors are added to `mistakes`. `readValue` reads a setting or its `_FILE`. */
export function readSignInProviders(
	names: string[],
	readValue: (name: string) => string | null,
	mistakes: string[],
): SignInProvider[] {
	const found = new Map<string, Fields>()
	for (const name of new Set(names.filter(isProviderSetting).map((given) => given.replace(/_FILE$/, '')))) {
		const parts = splitName(name)
		if (!parts) {
			mistakes.push(`${name}: expected ${prefix}<NAME>_ and one of ${Object.keys(fields).join(', ')}`)
			continue
		}
		try {
			const raw = readValue(name)
			if (raw === null) continue
			const known = found.get(parts.provider) ?? {}
			found.set(parts.provider, { ...known, [parts.field]: fields[parts.field](raw) })
		} catch (error) {
			mistakes.push(`${name}: ${(error as Error).message}`)
		}
	}
	return [...found].flatMap(([name, given]) => toProvider(name, given, mistakes))
}

function splitName(name: string): { provider: string; field: Field } | null {
	const rest = name.slice(prefix.length)
	const field = (Object.keys(fields) as Field[])
		.filter((candidate) => rest.endsWith(`_${candidate}`))
		.sort((a, b) => b.length - a.length)[0]
	const provider = field && rest.slice(0, -field.length - 1)
	return field && provider && /^[A-Z0-9]+(_[A-Z0-9]+)*$/.test(provider) ? { provider, field } : null
}

const presets: Record<string, Partial<SignInProvider>> = {
	GOOGLE: { issuer: 'https://accounts.google.com', label: 'Google' },
	GITHUB: {
		kind: 'github',
		issuer: 'https://github.com',
		label: 'GitHub',
		apiUrl: 'https://api.github.com',
		scopes: 'read:user user:email',
	},
}

function toProvider(name: string, given: Fields, mistakes: string[]): SignInProvider[] {
	const preset = presets[name] ?? {}
	const issuer = given.ISSUER ?? preset.issuer
	if (issuer === undefined) mistakes.push(`${prefix}${name}_ISSUER: is missing: the address of the provider`)
	if (!given.CLIENT_ID) mistakes.push(`${prefix}${name}_CLIENT_ID: is missing: the provider gives it out`)
	if (preset.kind === 'github' && !given.CLIENT_SECRET)
		mistakes.push(`${prefix}${name}_CLIENT_SECRET: is missing: GitHub gives it out`)
	if (given.API_URL && preset.kind !== 'github') mistakes.push(`${prefix}${name}_API_URL: is for GITHUB only`)
	if (issuer === undefined || !given.CLIENT_ID) return []
	return [
		{
			id: name.toLowerCase().replaceAll('_', '-'),
			kind: preset.kind ?? 'oidc',
			label: given.LABEL ?? preset.label ?? titleOf(name),
			issuer,
			apiUrl: preset.kind === 'github' ? (given.API_URL ?? apiOf(given.ISSUER, preset)) : null,
			clientId: given.CLIENT_ID,
			clientSecret: given.CLIENT_SECRET ?? null,
			scopes: given.SCOPES ?? preset.scopes ?? 'openid email profile',
			groupsClaim: given.GROUPS_CLAIM ?? 'groups',
			groups: given.GROUPS ?? [],
			signup: given.SIGNUP ?? null,
			trustEmail: given.TRUST_EMAIL === 'on',
			assumePkce: given.PKCE === 'assumed',
		},
	]
}

/** GitHub Enterprise Server has its API below its own URL. */
function apiOf(issuer: string | undefined, preset: Partial<SignInProvider>): string | null {
	return issuer === undefined ? (preset.apiUrl ?? null) : `${issuer.replace(/\/$/, '')}/api/v3`
}

function titleOf(name: string): string {
	return name
		.toLowerCase()
		.split('_')
		.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
		.join(' ')
}

/** Tokens and secrets are sent there, so plain http is allowed only to this machine. */
function httpsUrl(value: string): string {
	const url = new URL(urlOf('http:', 'https:')(value))
	if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
		throw new Error('expected an address that starts with https:// (http:// only on this machine)')
	return value
}
