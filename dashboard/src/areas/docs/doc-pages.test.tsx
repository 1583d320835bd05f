import { expect, it } from 'vitest'
import { docPages, searchDocs } from './doc-pages.ts'

const names = (wanted: string) =>
	searchDocs(wanted, 5).map(({ page, section }) => (section ? `${page.path}#${section.id}` : page.path))

it('a page, a section and a mention are found, in this order', () => {
	expect(names('redaction')[0]).toBe('redaction')
	expect(names('the sandbox')[0]).toBe('hosted-programs#the-sandbox')
	expect(names('OTEL_EXPORTER_OTLP_HEADERS')).toContain('guides/send-telemetry')
	expect(names('no page says this')).toEqual([])
})

it('every link between pages leads to an existing page and section', () => {
	const links = docPages.flatMap(({ path, text }) =>
		[...text.matchAll(/\]\(([^)\s:]*\.md(?:#[^)\s]*)?|#[^)\s]*)\)/g)].map(([, href = '']) => ({
			path,
			href,
		})),
	)
	expect(links.length).toBeGreaterThan(100)
	const broken = links.filter(({ path, href }) => {
		const { pathname, hash } = new URL(href, `https://docs/${path}.md`)
		const target = docPages.find((page) => `/${page.path}.md` === pathname)
		// The README, the decisions and the source are not pages here.
		if (!target) return pathname.split('/').length === 2 && !href.startsWith('../')
		return hash !== '' && !target.sections.some(({ id }) => `#${id}` === hash)
	})
	expect(broken).toEqual([])
})

it('paragraphs and list items are one line each, and code is unchanged', () => {
	const guide = docPages.find(({ path }) => path === 'guides/send-telemetry')
	expect(guide?.text).toMatch(/means that the data is on disk.*how much was rejected/)
	expect(guide?.text).toMatch(/OTLP_ENDPOINT=\S+\nexport OTEL/)
})
