import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { basePath } from '../../lib/base-url.ts'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Markdown, type MarkdownPage, MarkdownPageContext } from '../reader/markdown.tsx'
import type { DocPage } from './doc-pages.ts'
import { docsQuery } from './docs-query.ts'

const route = getRouteApi('/_app/docs/$')
const startPage = 'guides/README'
const linkStyles = 'text-accent underline'

/** The documentation of this version: a list of pages on the left, one of them on the right. */
export function DocsScreen() {
	const { _splat } = route.useParams()
	const { hash } = useLocation()
	const { data, error, refetch } = useQuery(docsQuery)
	const path = _splat || startPage
	const page = data?.docPages.find((one) => one.path === path)
	useEffect(() => {
		if (page) document.getElementById(hash)?.scrollIntoView()
	}, [page, hash])
	return (
		<Page title={page?.title ?? 'Documentation'} above="Documentation">
			{error && <ErrorState error={error} retry={() => void refetch()} />}
			{!data && !error && <SkeletonRows rows={12} />}
			{data && (
				<div className="grid grid-cols-1 gap-4 lg:grid-cols-[15rem_minmax(0,1fr)]">
					<Pages pages={data.docPages} isGuide={data.isGuide} path={path} />
					<Panel className="px-5 py-4 leading-relaxed">
						{page ? (
							<MarkdownPageContext value={toMarkdownPage(page, data)}>
								<div className="max-w-3xl">
									<Markdown text={page.text} />
								</div>
							</MarkdownPageContext>
						) : (
							<Empty icon="docs" title="Page not found">
								The list has all pages of this version.
							</Empty>
						)}
					</Panel>
				</div>
			)}
		</Page>
	)
}

interface PagesProps {
	pages: readonly DocPage[]
	isGuide(page: DocPage): boolean
	path: string
}

function Pages({ pages, isGuide, path }: PagesProps) {
	const line = (page: DocPage) => (
		<li key={page.path}>
			<Link
				to="/docs/$"
				params={{ _splat: page.path }}
				aria-current={page.path === path ? 'page' : undefined}
				className="block rounded-md px-2 py-1 hover:bg-hover aria-[current]:bg-accent-soft aria-[current]:text-accent"
			>
				{page.title}
			</Link>
		</li>
	)
	return (
		<nav aria-label="Documentation" className="max-h-64 overflow-y-auto lg:max-h-none">
			<h2 className="px-2 py-1 text-xs text-ink-2">Guides</h2>
			<ul>{pages.filter(isGuide).map(line)}</ul>
			<h2 className="mt-2 px-2 py-1 text-xs text-ink-2">Reference</h2>
			<ul>
				<li>
					<a
						href={`${basePath}/docs`}
						target="_blank"
						rel="noreferrer"
						className="block rounded-md px-2 py-1 hover:bg-hover"
					>
						API reference
					</a>
				</li>
				{pages.filter((page) => !isGuide(page)).map(line)}
			</ul>
		</nav>
	)
}

/** Links are relative to the page's file. Targets that are not pages of the documentation become plain text. */
function toMarkdownPage(
	page: DocPage,
	{ docPages, sectionId }: typeof import('./doc-pages.ts'),
): MarkdownPage {
	return {
		sectionId,
		link: (href, label) => {
			const { pathname, hash } = new URL(href, `https://docs/${page.path}.md`)
			const path = pathname.slice(1).replace(/\.md$/, '')
			if (!docPages.some((one) => one.path === path)) return label
			return (
				<Link to="/docs/$" params={{ _splat: path }} hash={hash.slice(1)} className={linkStyles}>
					{label}
				</Link>
			)
		},
	}
}
