/** The part of the address before `/ui`: '' or `/prefix`. The server writes it into the page. */
export const basePath =
	document.querySelector<HTMLMetaElement>('meta[name="signalbox-base-path"]')?.content ?? ''

/** The address of the instance as seen by this browser, without a trailing slash. */
export const baseUrl = `${location.origin}${basePath}`

/** The path of a workspace's pages in the dashboard; an id is accepted in place of the short name. */
export function workspacePath(slug: string): string {
	return `${basePath}/ui/w/${slug}`
}

/** The prefix of the paths of this tab's pages: `/ui/w/{slug}`, or `/ui` on pages outside any workspace. */
export function uiPath(): string {
	const slug = slugInAddress()
	return slug === null ? `${basePath}/ui` : workspacePath(slug)
}

/** The workspace in the address of this page, or null. */
export function slugInAddress(): string | null {
	const start = `${basePath}/ui/w/`
	if (!location.pathname.startsWith(start)) return null
	return location.pathname.slice(start.length).split('/')[0] || null
}
