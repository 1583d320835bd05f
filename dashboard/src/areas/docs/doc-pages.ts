/** The documentation of this version. It is a separate file of the build, loaded when somebody reads or searches it. */
const files = import.meta.glob<string>(['../../../../docs/*.md', '../../../../docs/guides/*.md'], {
	query: '?raw',
	import: 'default',
	eager: true,
})

export interface DocSection {
	/** The fragment of its address, as on GitHub. */
	id: string
	title: string
}

export interface DocPage {
	/** Below `docs/`, without the extension: `servers`, `guides/send-telemetry`. */
	path: string
	title: string
	/** Markdown without the title, with one line per paragraph and list item. */
	text: string
	sections: readonly DocSection[]
}

/** The guides first, then the other pages, each group sorted by title. */
export const docPages: readonly DocPage[] = Object.entries(files)
	.map(([file, text]) => toPage(file.replace(/^.*\/docs\//, '').replace(/\.md$/, ''), text))
	.toSorted((a, b) => Number(isGuide(b)) - Number(isGuide(a)) || a.title.localeCompare(b.title))

export function isGuide({ path }: DocPage): boolean {
	return path.startsWith('guides/')
}

export interface DocMatch {
	page: DocPage
	section: DocSection | null
}

/** Pages and sections with a matching title, then pages that mention the words, most frequent first. */
export function searchDocs(wanted: string, max: number): readonly DocMatch[] {
	const text = wanted.trim().toLowerCase()
	const has = (label: string) => label.toLowerCase().includes(text)
	const called = docPages.filter(({ title }) => has(title)).map((page) => ({ page, section: null }))
	const sections = docPages.flatMap((page) =>
		page.sections.filter(({ title }) => has(title)).map((section) => ({ page, section })),
	)
	const found = new Set([...called, ...sections].map(({ page }) => page))
	const mentions = docPages
		.filter((page) => !found.has(page))
		.map((page) => ({ page, section: null, times: page.text.toLowerCase().split(text).length - 1 }))
		.filter(({ times }) => times > 0)
		.toSorted((a, b) => b.times - a.times)
	return [...called, ...sections, ...mentions].slice(0, max)
}

function toPage(path: string, markdown: string): DocPage {
	const [, title = path] = /^# (.+)$/m.exec(markdown) ?? []
	const text = unwrap(markdown.replace(/^# .+\n/, ''))
	const headings = withoutCode(text).matchAll(/^#{2,6} (.+)$/gm)
	const sections = [...headings].map(([, heading = '']) => ({
		id: sectionId(heading),
		title: plain(heading),
	}))
	return { path, title: plain(title), text, sections }
}

export function sectionId(heading: string): string {
	return plain(heading)
		.toLowerCase()
		.replace(/[^\p{L}\p{N}\s_-]/gu, '')
		.replaceAll(/\s/g, '-')
}

function plain(markdown: string): string {
	return markdown.replaceAll('`', '').trim()
}

function withoutCode(text: string): string {
	return text.replaceAll(/^```[\s\S]*?^```$/gm, '')
}

/** Joins lines that the source wraps at a fixed width, because the screen has its own. */
function unwrap(text: string): string {
	const lines: string[] = []
	let inCode = false
	let goesOn = false
	for (const line of text.split('\n')) {
		const isFence = /^\s*```/.test(line)
		const isOwn =
			inCode || isFence || line.trim() === '' || /^(?:#{1,6} |\||>|\s*(?:[-*+]|\d+[.)])\s)/.test(line)
		if (goesOn && !isOwn) lines.push(`${lines.pop()} ${line.trim()}`)
		else lines.push(line)
		if (isFence) inCode = !inCode
		goesOn = !inCode && !isFence && line.trim() !== '' && !/^[#|]/.test(line)
	}
	return lines.join('\n')
}
