import { expect, it } from 'vitest'
import { returnPath } from './sign-in.ts'

const good = [
	'/ui/',
	'/ui/agents',
	'/ui/agents?q=a%20b&page=2',
	'/ui/traces/0192f0c1#span',
	'/ui/a/b-c_d.e~f',
]

const hosts = [
	'evil.example',
	'evil.example/ui/',
	'user:pass@evil.example',
	'127.0.0.1:1/ui/',
	'ui@evil.example/ui/',
]
const starts = [
	'//',
	'///',
	'/\\',
	'\\\\',
	'\\/',
	'/%2f',
	'/%5c',
	'http://',
	'https://',
	'http:',
	'HTTP://',
	'//\t',
]
const schemes = [
	'javascript:alert(1)//',
	'data:text/html,',
	'ftp://x/ui/',
	'file:///ui/',
	'blob:/ui/',
	'mailto:a@b',
]
const inside = [
	'/ui/../',
	'/ui/..',
	'/ui/./..//evil.example',
	'/ui//evil.example',
	'/ui/%2e%2e/',
	'/ui/.%2E/admin',
]
const encoded = [
	'/ui/%2f%2fevil.example',
	'/ui/%5cevil.example',
	'/ui/%5Cevil.example',
	'/ui/%252e%252e/',
	'/ui/%0d%0aset-cookie:a',
	'/ui/%00',
	'/ui/%09/',
]
const controls = [
	'\0',
	'\t',
	'\n',
	'\r',
	'\r\n',
	'\u000b',
	'\u001f',
	'\u007f',
	'\u0085',
	'\u2028',
	'\u2029',
	'\u00a0',
	'\ufeff',
	'\u200b',
	'\u202e',
]
const looksLikeSlash = ['\u2044', '\u2215', '\uff0f', '\u29f8', '\ufe68', '\uff3c', '\u3002', '\ud800']
const elsewhere = [
	'',
	'/',
	'/ui',
	'ui/',
	'/UI/',
	'/v1/keys',
	'/auth/logout',
	'/uix/',
	'/uı/',
	' /ui/',
	'/ui/ ',
	'.',
	'..',
	'?next=//evil',
	'#',
	'/mcp',
]

const bad = [
	...starts.flatMap((start) => hosts.map((host) => start + host)),
	...schemes,
	...inside,
	...encoded,
	...controls.flatMap((control) => [`${control}/ui/`, `/ui/${control}`, `/${control}/evil.example`]),
	...looksLikeSlash.map((sign) => `/ui/${sign}${sign}evil.example`),
	...looksLikeSlash.map((sign) => `/${sign}evil.example`),
	...elsewhere,
]

it('returns to plain paths of the dashboard', () => {
	for (const path of good) expect(returnPath(path)).toBe(path)
})

it('returns to the dashboard itself for everything else', () => {
	expect(bad.length).toBeGreaterThanOrEqual(100)
	expect(bad.filter((path) => returnPath(path) !== '/ui/')).toEqual([])
	expect(returnPath(undefined)).toBe('/ui/')
})
