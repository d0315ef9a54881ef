import { exactly } from '../../../toolwharf/kernel/exact-json.ts';
import type { View } from '../../core/mcp/view.ts';
import type { A2aTool } from './a2a.ts';

/** The tools that the profile exposes, under the names that its callers see. */
export function toolsOf(view: View): readonly A2aTool[] {
  return view.tools.flatMap((listed) => {
    const name = String(listed.name);
    const entry = view.findTool(name);
    if (!entry) return [];
    const { title, description = '', inputSchema, outputSchema } = entry.definition;
    const { server } = entry;
    return {
      name,
      description,
      parameters: exactly(inputSchema),
      title,
      outputSchema: exactly(outputSchema),
      server,
    };
  });
}
