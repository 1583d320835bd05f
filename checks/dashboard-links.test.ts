import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { refusals } from '@signalbox/contract'
import { describe, expect, it } from 'vitest'
import { createRefusalLinks } from '../server/src/gateway/refusals/refusals.ts'

const root = resolve(import.meta.dirname, '..')

/** The paths in the dashboard's router, such as `/servers/$serverId`. */
function dashboardRoutes(): string[] {
	const tree = readFileSync(join(root, 'dashboard/src/routeTree.gen.ts'), 'utf8')
	const [, list = ''] = tree.match(/fullPaths:\n((?:\s+\| '[^']+'\n)+)/) ?? []
	const paths = [...list.matchAll(/'([^']+)'/g)].map(([, path]) => (path ?? '').replace(/(?<=.)\/$/, ''))
	// The route that shows Not found.
	return paths.filter((path) => path !== '/$')
}

const routes = dashboardRoutes()

/** Whether the router has a screen for a path below `/ui`, with any ids. */
function leadsSomewhere(path: string): boolean {
	const parts = path.split('/')
	return routes.some((route) => {
		const wanted = route.split('/')
		return (
			wanted.length === parts.length &&
			wanted.every((part, at) => (part.startsWith('$') ? parts[at] !== '' : part === parts[at]))
		)
	})
}

/** All URLs of the dashboard in a source text. Inserted values are replaced by `x`. */
function linksIn(text: string): string[] {
	const found = text.matchAll(/\/ui(\/(?:\$\{[^}]*\}|[\w./-])*)/g)
	return [...found].map(([, path]) =>
		(path ?? '')
			.replaceAll(/\$\{[^}]*\}/g, 'x')
			.replace(/^\/w(\/[\w-]+)?/, '')
			.replace(/(?<=.)\/$/, ''),
	)
}

function sources(folder: string): string[] {
	return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.ts') && !/(\.test|testing)\.ts$/.test(name))
		.map((name) => join(folder, name))
}

describe('links to the dashboard', () => {
	it('the route table can be read', () => {
		expect(routes).toContain('/servers/$serverId')
		expect(leadsSomewhere('/servers/x')).toBe(true)
		expect(leadsSomewhere('/servers/x/nothing')).toBe(false)
		expect(leadsSomewhere('/nothing')).toBe(false)
	})

	it('each page to which a refusal links exists', () => {
		const links = createRefusalLinks(() => 'http://box.test')
		const named = {
			access: links.access('a-workspace', 'an-agent', 'tickets__search'),
			definitions: links.definitions('a-workspace', 'a-server'),
			approval: links.approval('a-workspace', 'an-approval'),
		}
		const wanted = Object.values(refusals).flatMap(({ link }) => (link === null ? [] : [link]))
		expect(new Set(wanted)).toEqual(new Set(Object.keys(named)))
		for (const url of Object.values(named))
			expect(leadsSomewhere(new URL(url).pathname.replace('/ui/w/a-workspace', '')), url).toBe(true)
	})

	it.each(['server/src', 'contract/src'])('each link in %s opens a page', (folder) => {
		const lost = sources(folder).flatMap((file) =>
			linksIn(readFileSync(join(root, file), 'utf8'))
				.filter((path) => !/^$|^x$|^\/$|favicon\.svg$|^\/path\.\.\.$/.test(path) && !leadsSomewhere(path))
				.map((path) => `${file}: /ui${path}`),
		)
		expect(lost).toEqual([])
	})
})
