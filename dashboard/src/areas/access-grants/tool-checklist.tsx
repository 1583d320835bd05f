import { type ReactNode, useState } from 'react'
import { showHidden } from '../../lib/show-hidden.ts'
import { CheckLine } from '../../ui/controls.tsx'
import { SearchInput } from '../../ui/field.tsx'

export interface OfferedTool {
	name: string
	description?: string | undefined
	/** Shown at the end of the line: the current decision. */
	note?: ReactNode
}

interface ToolChecklistProps {
	tools: readonly OfferedTool[]
	isChecked(name: string): boolean
	disabled?: boolean
	onChange(name: string, on: boolean): void
}

/** The tools of a server as check boxes; a long list can be searched. */
export function ToolChecklist({ tools, isChecked, disabled, onChange }: ToolChecklistProps) {
	const [wanted, setWanted] = useState('')
	const shown = tools.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()))
	return (
		<div className="grid gap-2">
			{tools.length > 10 && (
				<SearchInput label="Find a tool" value={wanted} onChange={(event) => setWanted(event.target.value)} />
			)}
			<ul aria-label="Tools" className="max-h-80 overflow-y-auto rounded-lg border border-line p-1.5">
				{shown.map((tool) => (
					<li key={tool.name}>
						<CheckLine
							label={tool.name}
							checked={isChecked(tool.name)}
							disabled={disabled ?? false}
							onChange={(on) => onChange(tool.name, on)}
						>
							<span className="flex items-start justify-between gap-3">
								<span className="min-w-0">
									<span className="font-mono text-[12.5px] break-all">{showHidden(tool.name)}</span>
									{tool.description && (
										<span className="line-clamp-1 text-xs text-ink-3">{tool.description}</span>
									)}
								</span>
								{tool.note}
							</span>
						</CheckLine>
					</li>
				))}
				{shown.length === 0 && (
					<li className="px-2 py-3 text-ink-3">
						{wanted ? 'No tool matches.' : 'The server has not listed any tools yet.'}
					</li>
				)}
			</ul>
		</div>
	)
}
