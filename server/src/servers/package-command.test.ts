import { expect, it } from 'vitest'
import { parsePackageCommand } from './program-spec-of.ts'

it.each([
	[
		['-y', '@scope/server@1.2.3', '--flag', '/path'],
		{ name: '@scope/server', range: '1.2.3', args: ['--flag', '/path'] },
	],
	[['server'], { name: 'server', range: 'latest', args: [] }],
	[['--yes', 'server@^2', 'a'], { name: 'server', range: '^2', args: ['a'] }],
])('npx %j names a package', (args, expected) => {
	expect(parsePackageCommand('npx', args)).toEqual(expected)
	expect(parsePackageCommand('/usr/local/bin/npx', args)).toEqual(expected)
	expect(parsePackageCommand('node', args)).toBeNull()
})

it.each([
	'http://127.0.0.1/x.tgz',
	'git+ssh://host/repo',
	'github:user/repo',
	'user/repo',
	'../folder',
	'/etc',
	'file:x',
	'name@http://127.0.0.1/x.tgz',
	'name@npm:other@1',
	'name@git+https://host/x',
	'--package=x',
	'-c',
	'',
])('npx %j names no package', (spec) => {
	expect(parsePackageCommand('npx', [spec, 'x'])).toBeNull()
})
