import { expect, test } from 'vitest'
import { localPath } from './use-sign-in.ts'

test.each([
	['/', '/ui/'],
	['/servers?q=a', '/ui/servers?q=a'],
	['/ui/agents/1', '/ui/agents/1'],
])('after signing in, %s leads to %s', (next, path) => {
	expect(localPath(next)).toBe(path)
})

test.each([
	'//evil.example',
	'https://evil.example',
	'/ui//evil.example',
	'/\\evil.example',
	'javascript:alert(1)',
	'/uiopen',
])('%s leads to the overview only', (next) => {
	expect(new URL(localPath(next), 'http://box.test').origin).toBe('http://box.test')
	expect(localPath(next)).toMatch(/^\/ui\//)
})
