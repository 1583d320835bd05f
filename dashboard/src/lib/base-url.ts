/** What stands before `/ui` in the address: '' or `/prefix`. The server writes it into the page. */
export const basePath =
	document.querySelector<HTMLMetaElement>('meta[name="signalbox-base-path"]')?.content ?? ''

/** The address of the instance as this browser sees it, without a slash at its end. */
export const baseUrl = `${location.origin}${basePath}`

/** The path of a workspace's pages in the dashboard; an id is taken in place of the short name. */
export function workspacePath(slug: string): string {
	return `${basePath}/ui/w/${slug}`
}

/** What stands before the path of this tab's pages: `/ui/w/{slug}`, or `/ui` on pages of no workspace. */
export function uiPath(): string {
	const slug = slugInAddress()
	return slug === null ? `${basePath}/ui` : workspacePath(slug)
}

/** The workspace that the address of this page names, or null. */
export function slugInAddress(): string | null {
	const start = `${basePath}/ui/w/`
	if (!location.pathname.startsWith(start)) return null
	return location.pathname.slice(start.length).split('/')[0] || null
}
