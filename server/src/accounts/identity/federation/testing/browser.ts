interface Cookie {
	value: string
	path: string
}

export interface Page {
	url: URL
	status: number
	headers: Headers
	text: string
}

/** The parts of a browser that sign-ins need: cookies by origin and path, redirects, forms. */
export class Browser {
	readonly #cookies = new Map<string, Map<string, Cookie>>()

	async request(url: URL, form?: Record<string, string>): Promise<Page> {
		const answer = await fetch(url, {
			redirect: 'manual',
			headers: { cookie: this.#cookieHeader(url) },
			...(form && { method: 'POST', body: new URLSearchParams(form) }),
		})
		this.keep(url, answer.headers.getSetCookie())
		return { url, status: answer.status, headers: answer.headers, text: await answer.text() }
	}

	/** Follows redirects until `stop` matches the next URL, or a page is loaded. */
	async open(
		url: URL,
		stop: (url: URL) => boolean = () => false,
		form?: Record<string, string>,
	): Promise<Page> {
		let page = await this.request(url, form)
		for (let hops = 0; hops < 20; hops += 1) {
			const location = page.headers.get('location')
			if (location === null) return page
			const next = new URL(location, page.url)
			if (stop(next)) return { ...page, url: next }
			page = await this.request(next)
		}
		throw new Error('redirected too often')
	}

	/** Stores the `set-cookie` headers of an origin. */
	keep(url: URL, lines: string[]): void {
		for (const line of lines) this.#keep(url, line)
	}

	cookie(url: URL, name: string): string | undefined {
		return this.#cookies.get(url.origin)?.get(name)?.value
	}

	#keep(url: URL, line: string): void {
		const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
		const cut = pair.indexOf('=')
		const path = attributes.find((text) => /^path=/i.test(text))?.slice(5) ?? '/'
		const ended = attributes.some((text) => /^max-age=0$/i.test(text) || /^expires=.*1970/i.test(text))
		const cookies = this.#cookies.get(url.origin) ?? new Map<string, Cookie>()
		this.#cookies.set(url.origin, cookies)
		if (ended) cookies.delete(pair.slice(0, cut))
		else cookies.set(pair.slice(0, cut), { value: pair.slice(cut + 1), path })
	}

	#cookieHeader(url: URL): string {
		const cookies = [...(this.#cookies.get(url.origin) ?? [])]
		return cookies
			.filter(([, { path }]) => url.pathname.startsWith(path))
			.map(([name, { value }]) => `${name}=${value}`)
			.join('; ')
	}
}
