import { expect, it } from 'vitest'
import { allowsRedirect, isRedirectUri } from './clients.ts'

const web = 'https://app.example/oauth/callback'
const local = 'http://127.0.0.1:8080/callback'
const named = 'http://localhost/callback'
const app = 'cursor://anysphere.cursor-mcp/oauth/callback'
const registered = [web, local, named, app]

const allowed = [
	...registered,
	'http://127.0.0.1/callback',
	'http://127.0.0.1:1/callback',
	'http://127.0.0.1:65535/callback',
	'http://localhost:49152/callback',
]

const hosts = [
	'app.example.evil.example',
	'evil.example',
	'evilapp.example',
	'sub.app.example',
	'app.example:443',
	'app.example:8443',
	'app.example.',
	'APP.EXAMPLE',
	'app.example@evil.example',
	'user@app.example',
	'user:pass@app.example',
	'app%2eexample',
	'app.example%00.evil.example',
	'app.example\\@evil.example',
	'[::1]',
	'127.0.0.1',
]
const paths = [
	'',
	'/',
	'/oauth',
	'/oauth/callback/',
	'/oauth/callback/../callback',
	'/oauth/callback/..',
	'/oauth/./callback',
	'/oauth//callback',
	'//oauth/callback',
	'/oauth/callback%2f',
	'/oauth%2fcallback',
	'/oauth/Callback',
	'/oauth/callback?x=1',
	'/oauth/callback?',
	'/oauth/callback#',
	'/oauth/callback#fragment',
	'/oauth/callback;a=b',
	'/oauth/callback%20',
	'/oauth/callback ',
	'/oauth/callback\t',
	'/oauth/callback\n',
	'/oauth/callback%0d%0aset-cookie:a=b',
	'/oauth/callback\\evil',
	'/oauth/callback/%2e%2e/evil',
	'/оauth/callback',
]
const loopbacks = [
	'http://127.0.0.1:8080/other',
	'http://127.0.0.1:8080/callback/',
	'http://127.0.0.1:8080/callback?x=1',
	'http://127.0.0.1:8080/callback#x',
	'http://127.0.0.1:8080',
	'http://127.0.0.1:/callback',
	'http://127.0.0.1:99999/callback',
	'http://127.0.0.1:8080a/callback',
	'http://127.0.0.1:80:80/callback',
	'http://127.0.0.1:+80/callback',
	'http://127.0.0.1:8080@evil.example/callback',
	'http://user@127.0.0.1:8080/callback',
	'http://127.0.0.2:8080/callback',
	'http://127.1:8080/callback',
	'http://2130706433/callback',
	'http://0x7f.0.0.1/callback',
	'http://0177.0.0.1/callback',
	'http://0.0.0.0/callback',
	'http://[::1]/callback',
	'http://[::ffff:127.0.0.1]/callback',
	'http://localhost.evil.example/callback',
	'http://localhost./callback',
	'http://LOCALHOST/callback',
	'http://localhost:80/callback/..',
	'http://evil.example/callback',
	'https://127.0.0.1:8080/callback',
	'https://localhost/callback',
	'HTTP://127.0.0.1:8080/callback',
	'http:/127.0.0.1:8080/callback',
	'http:127.0.0.1:8080/callback',
	'http:\\\\127.0.0.1:8080\\callback',
	'//127.0.0.1:8080/callback',
]
const schemes = [
	'javascript:alert(1)',
	'javascript://app.example/oauth/callback',
	'data:text/html,x',
	'file:///etc/passwd',
	'blob:https://app.example/1',
	'about:blank',
	'vbscript:x',
	'ftp://app.example/',
	'ws://app.example/',
	'wss://app.example/',
	'view-source:https://app.example/oauth/callback',
	'mailto:a@app.example',
	'tel:1',
	'http://app.example/oauth/callback',
	'cursor://anysphere.cursor-mcp/oauth/callback/',
	'cursor://anysphere.cursor-mcp.evil/oauth/callback',
	'cursor:anysphere.cursor-mcp/oauth/callback',
	'CURSOR://anysphere.cursor-mcp/oauth/callback',
	'cursor2://anysphere.cursor-mcp/oauth/callback',
	'/oauth/callback',
	'oauth/callback',
	'',
	' ',
	`${web} ${web}`,
	` ${web}`,
	`${web}${'a'.repeat(600)}`,
	'null',
	'*',
	'https://*',
	'https://*.example/oauth/callback',
]
const refused = [
	...hosts.map((host) => `https://${host}/oauth/callback`),
	...paths.map((path) => `https://app.example${path}`),
	...loopbacks,
	...schemes,
]

it.each(allowed)('allows %j', (uri) => {
	expect(allowsRedirect(registered, uri)).toBe(true)
})

it('refuses 100 other spellings', () => {
	expect(new Set(refused).size).toBeGreaterThanOrEqual(100)
	expect(refused.filter((uri) => allowsRedirect(registered, uri))).toEqual([])
})

it('lets nobody register a URI that a browser would execute, or one without encryption', () => {
	const bad = [
		'javascript:alert(1)',
		'data:text/html,x',
		'http://app.example/',
		'https://a.example/#f',
		'file:///x',
		'ms-msdt:/id PCWDiagnostic',
		'ms-msdt:x',
		'search-ms:query=x',
		'ms-officecmd:x',
		'intent://x#Intent;end',
		'intent:x',
		'shell:x',
		'steam://run/1',
		'ssh://app.example/',
		'git://app.example/',
		'jar:https://app.example/!/',
		'x-apple.systempreferences+x:a',
		'smb://app.example/',
		'myapp:/callback',
		'.a:x',
		'a.:x',
	]
	expect(bad.filter(isRedirectUri)).toEqual([])
	const apps = [
		'com.example.app:/oauth',
		'org.example.my-app://callback',
		'vscode://a.b/callback',
		'claude://x/y',
	]
	expect(apps.filter((uri) => !isRedirectUri(uri))).toEqual([])
	expect(registered.every(isRedirectUri)).toBe(true)
})
