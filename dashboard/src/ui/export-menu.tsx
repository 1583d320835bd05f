import { useMutation } from '@tanstack/react-query'
import { ApiError } from '../api.ts'
import { baseUrl } from '../lib/base-url.ts'
import { dashboardHeader, sessionFetch } from '../lib/session-fetch.ts'
import { Button } from './button.tsx'
import { copyText } from './copy.tsx'
import { Icon } from './icons.tsx'
import { Menu, MenuItem, MenuLine } from './menu.tsx'
import { InlineError } from './states.tsx'
import { toast } from './toast.tsx'

const formatNames = { csv: 'CSV', json: 'JSON', jsonl: 'JSON lines', otlp: 'OTLP' } as const

interface ExportMenuProps {
	path: string
	formats: readonly (keyof typeof formatNames)[]
	query: object
	/** The API path of the list, for those who want to call it themselves. */
	asked?: string
}

/** The parameters of a URL; lists repeat their name. */
function parametersOf(query: object): URLSearchParams {
	return new URLSearchParams(
		Object.entries(query).flatMap(([name, value]) => [value ?? []].flat().map((one) => [name, String(one)])),
	)
}

function fileNameOf(response: Response): string | undefined {
	return response.headers.get('content-disposition')?.match(/filename="([^"]+)"/)?.[1]
}

function saveFile(blob: Blob, name: string): void {
	const url = URL.createObjectURL(blob)
	const link = Object.assign(document.createElement('a'), { href: url, download: name })
	link.click()
	setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Exports a list as a file, which the server streams. */
export function ExportMenu({ path, formats, query, asked }: ExportMenuProps) {
	const save = useMutation({
		mutationFn: async (format: string) => {
			// A download by the browser could not send the workspace of this page, so the file is fetched like everything else.
			const address = `${baseUrl}${path}?${parametersOf({ ...query, format })}`
			const response = await sessionFetch(new Request(address, { headers: dashboardHeader }))
			if (!response.ok) throw new ApiError(await response.json().catch(() => ({})), response.status)
			saveFile(await response.blob(), fileNameOf(response) ?? `export.${format}`)
		},
	})
	const copyQuery = () => {
		const { list: _list, ...parameters } = query as { list?: string }
		const url = `${baseUrl}${asked}?${parametersOf(parameters)}`
		const line = `curl -H "Authorization: Bearer $SIGNALBOX_KEY" '${url}'`
		void copyText(line, () => toast('Copied: a line for curl'))
	}
	return (
		<>
			<Menu
				trigger={
					<Button busy={save.isPending}>
						Export
						<Icon name="down" className="size-3.5 text-ink-3" />
					</Button>
				}
			>
				{formats.map((format) => (
					<MenuItem key={format} onSelect={() => save.mutate(format)}>
						{formatNames[format]}
					</MenuItem>
				))}
				{asked && (
					<>
						<MenuLine />
						<MenuItem icon="copy" onSelect={copyQuery}>
							Copy the query
						</MenuItem>
					</>
				)}
			</Menu>
			{save.error && <InlineError error={save.error} />}
		</>
	)
}
