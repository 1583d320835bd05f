import { describe, expect, it } from 'vitest'
import { type ConfigError, readConfig } from './config.ts'

const provider = (settings: Record<string, string>) =>
	readConfig(
		Object.fromEntries(Object.entries(settings).map(([name, value]) => [`SIGNALBOX_OIDC_${name}`, value])),
	).signInProviders

function mistakesOf(settings: Record<string, string>): string[] {
	try {
		provider(settings)
		return []
	} catch (error) {
		return (error as ConfigError).mistakes
	}
}

describe('the settings of sign-in providers', () => {
	it('know Google and GitHub by name', () => {
		expect(
			provider({ GOOGLE_CLIENT_ID: 'a', GITHUB_CLIENT_ID: 'b', GITHUB_CLIENT_SECRET: 'c' }),
		).toMatchObject([
			{
				id: 'google',
				kind: 'oidc',
				label: 'Google',
				issuer: 'https://accounts.google.com',
				scopes: 'openid email profile',
			},
			{
				id: 'github',
				kind: 'github',
				issuer: 'https://github.com',
				apiUrl: 'https://api.github.com',
				signup: null,
			},
		])
		const [enterprise] = provider({
			GITHUB_ISSUER: 'https://git.example.org',
			GITHUB_CLIENT_ID: 'b',
			GITHUB_CLIENT_SECRET: 'c',
		})
		expect(enterprise?.apiUrl).toBe('https://git.example.org/api/v3')
	})

	it('accept any issuer under a custom name', () => {
		expect(
			provider({
				BIG_CORP_ISSUER: 'https://id.example.org/realms/a',
				BIG_CORP_CLIENT_ID: 'x',
				BIG_CORP_GROUPS_CLAIM: 'realm_access.roles',
				BIG_CORP_GROUPS: 'staff=default:viewer,leads=Ops:admin:deploy+debug',
				BIG_CORP_SIGNUP: 'mapped',
			}),
		).toMatchObject([
			{
				id: 'big-corp',
				label: 'Big Corp',
				groupsClaim: 'realm_access.roles',
				signup: 'mapped',
				groups: [
					{ group: 'staff', workspace: 'default', role: 'viewer', agentGroups: [], create: false },
					{
						group: 'leads',
						workspace: 'Ops',
						role: 'admin',
						agentGroups: ['deploy', 'debug'],
						create: false,
					},
				],
			},
		])
	})

	it('are refused with every mistake at once', () => {
		expect(
			mistakesOf({
				A_CLIENT_ID: 'x',
				B_ISSUER: 'http://id.example.org',
				C_ISSUER: 'https://id.example.org',
				D_SECRET: 'x',
				E_ISSUER: 'https://e.example',
				E_CLIENT_ID: 'e',
				E_GROUPS: 'staff=default:operator',
				F_SIGNUP: 'all',
				G_GROUPS: '[{"group":"x","workspace":"y","role":"admin","rights":1}]',
			}).map((mistake) => mistake.replace('SIGNALBOX_OIDC_', '').slice(0, 60)),
		).toMatchInlineSnapshot(`
			[
			  "B_ISSUER: expected an address that starts with https:// (htt",
			  "D_SECRET: expected SIGNALBOX_OIDC_<NAME>_ and one of ISSUER,",
			  "E_GROUPS: the role of group "staff" is one of viewer, audito",
			  "F_SIGNUP: expected one of anyone, mapped, invited, nobody, g",
			  "G_GROUPS: a rule has no rights; there are group, workspace, ",
			  "A_ISSUER: is missing: the address of the provider",
			  "C_CLIENT_ID: is missing: the provider gives it out",
			]
		`)
	})

	it('must leave somebody a way to sign in', () => {
		expect(() => readConfig({ SIGNALBOX_PASSWORD_LOGIN: 'off' })).toThrow('nobody could sign in')
		expect(() =>
			readConfig({ SIGNALBOX_PASSWORD_LOGIN: 'off', SIGNALBOX_OIDC_GOOGLE_CLIENT_ID: 'x' }),
		).not.toThrow()
	})
})
