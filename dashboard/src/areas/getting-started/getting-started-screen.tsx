import { Page } from '../../ui/page.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { DemoOffer } from '../demo/demo-offer.tsx'
import { ModelPath } from './model-path.tsx'
import { useProgress } from './progress.ts'
import { SpanPath } from './span-path.tsx'
import { ToolPath } from './tool-path.tsx'

/** Three ways to a first call, with the real values of this instance. */
export function GettingStartedScreen() {
	const progress = useProgress()
	return (
		<Page
			title="Getting started"
			description="Pick what you have at hand. Each step turns green automatically."
			actions={<DemoOffer />}
		>
			{progress.error ? (
				<ErrorState error={progress.error} />
			) : (
				<div className="grid items-start gap-4 lg:grid-cols-2">
					<ToolPath {...progress} />
					<div className="grid gap-4">
						<SpanPath span={progress.span} />
						<ModelPath connection={progress.connection} call={progress.modelCall} />
					</div>
				</div>
			)}
		</Page>
	)
}
