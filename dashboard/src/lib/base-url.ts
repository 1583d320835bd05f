/** What stands before `/ui` in the address: '' or `/prefix`. The server writes it into the page. */
export const basePath =
	document.querySelector<HTMLMetaElement>('meta[name="signalbox-base-path"]')?.content ?? ''

/** The address of the instance as this browser sees it, without a slash at its end. */
export const baseUrl = `${location.origin}${basePath}`
