import { z } from 'zod';
import { ToolwharfError } from '../../../kernel/errors.ts';
import type { Skill, SkillId } from '../../../servers/skills/toolbox-skills.ts';
import { scopeFor } from '../access.ts';
import { type ApiPorts, type ApiRequest, route } from '../route.ts';
import {
  acceptSkillSchema,
  type SkillView,
  skillContentSchema,
  skillFileQuery,
  skillListSchema,
  skillSchema,
} from '../schemas/skills.ts';
import { readOptions } from './server-content.ts';

const group = 'skills';

export const skillRoutes = [
  route({
    operationId: 'listSkills',
    method: 'get',
    path: '/api/skills',
    right: 'read',
    group,
    summary: 'Lists the skills of all servers and of local folders, with the changes since each was accepted.',
    query: z.object({
      server: z.string().optional().describe('Only skills of this server.'),
      changed: z.enum(['true']).optional().describe('Only skills that differ from the accepted ones.'),
    }),
    answer: skillListSchema,
    async handle(request, ports) {
      const { server, changed } = request.query;
      await ports.servers.waitForStart();
      const skills = ports.toolbox.skills
        .list(server)
        .filter((skill) => changed === undefined || skill.changed !== undefined)
        .filter((skill) => isVisible(skill, request, ports));
      return { skills: skills.map((skill) => showSkill(skill, ports)) };
    },
  }),
  route({
    operationId: 'readSkill',
    method: 'get',
    path: '/api/skills/read',
    right: 'call',
    group,
    summary:
      'Reads a file of a skill and verifies it. Administrators can also read a skill that changed, to review the change.',
    query: skillFileQuery,
    answer: skillContentSchema,
    errors: [
      'NOT_FOUND',
      'CALL_DENIED',
      'CALL_CANCELLED',
      'SERVER_DISCONNECTED',
      'SERVER_ERROR',
      'SERVER_PROTOCOL',
      'CALL_TIMED_OUT',
      'RESULT_DISCARDED',
    ],
    async handle(request, ports) {
      const { server, uri, path } = request.query;
      findSkill({ server, uri }, request, ports);
      using _slot = request.usage.reserve('reads');
      const options = { ...readOptions(request, ports), isReview: request.identity.isAdmin };
      return await ports.toolbox.skills.read({ server, uri }, path, options);
    },
  }),
  route({
    operationId: 'acceptSkillChange',
    method: 'post',
    path: '/api/skills/accept',
    right: 'admin',
    group,
    summary: 'Accepts a changed skill. Fails if it changed again since it was reviewed.',
    body: acceptSkillSchema,
    answer: skillSchema,
    errors: ['CONFLICT', 'NOT_FOUND'],
    async handle(request, ports) {
      const { definitionHash, ...id } = request.body;
      const skill = findSkill(id, request, ports);
      if (skill.definitionHash !== definitionHash)
        throw new ToolwharfError('CONFLICT', `The skill ${skill.name} changed again: review the new version`);
      if (!(await ports.toolbox.skills.acceptChange(id, definitionHash)))
        throw new ToolwharfError('CONFLICT', `The skill ${skill.name} has no change to accept`);
      return showSkill(findSkill(id, request, ports), ports);
    },
  }),
];

/** Only administrators see skills that nobody can use until they are accepted. */
function isVisible({ server, path, changed }: Skill, request: Pick<ApiRequest, 'identity'>, ports: ApiPorts): boolean {
  return (changed !== 'quarantine' || request.identity.isAdmin) && scopeFor(request, ports).hasSkill(server, path);
}

/** The skill of the request. A hidden skill is reported as not found. */
function findSkill(id: SkillId, request: Pick<ApiRequest, 'identity'>, ports: ApiPorts): Skill {
  const skill = ports.toolbox.skills.find(id);
  if (skill && isVisible(skill, request, ports)) return skill;
  throw new ToolwharfError('NOT_FOUND', `There is no skill '${id.uri}'`);
}

function showSkill(skill: Skill, { toolbox }: ApiPorts): SkillView {
  const { accepted: _accepted, ...shown } = skill;
  const warnings = toolbox.skills.warnings(skill);
  return { ...shown, warnings: warnings.length > 0 ? warnings : undefined };
}
