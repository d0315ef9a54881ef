import { lazy } from '../../../contract/lazy.ts';
import { stemWord } from './stem-word.ts';

/** A word that means about the same as another one, and the term under which it is indexed. */
export interface Synonym {
  readonly word: string;
  readonly term: string;
}

/** The words that mean about the same as a term, in the descriptions of tools. */
export function synonymsOf(term: string): readonly Synonym[] {
  return synonyms().get(term) ?? [];
}

/** Words of software and of everyday tasks. A word can be in several groups. */
const groups = `
list show display view enumerate browse
get fetch retrieve read load obtain
search find query lookup discover locate
create make generate build produce new add
write save store export output
update edit modify change set
delete remove drop clear erase
send post publish submit
run execute start launch
stop cancel end terminate kill
convert transform translate
compare diff difference
analyze analysis evaluate examine inspect
check validate verify
summarize summary overview
merge combine join concatenate
draw paint sketch plot
chart graph plot diagram visualization figure
picture image photo figure icon
ppt powerpoint slide presentation deck
excel spreadsheet xlsx sheet workbook worksheet
word docx document
markdown md
folder directory
file document
website web page site url webpage
email mail message
stock share ticker equity
company firm business corporation
price cost quote
news headline article story
paper article publication literature preprint
trend trending hot popular rank ranking leaderboard
weather forecast temperature climate
map location place address geocode
route direction navigation
train railway ticket
song music audio
video movie film
calendar schedule event
time date clock day
repository repo git github
issue ticket bug
db database sql table
user person account member profile
password credential secret
disease illness condition disorder
drug medicine medication
gene variant mutation
trial study
crypto cryptocurrency bitcoin token coin web3 blockchain
job position vacancy career
flight airline airport
hotel accommodation lodging
restaurant food recipe dish
game player match
note memory knowledge
translate language
calculate compute math
number random
terminal command shell bash console
screenshot capture
scrape crawl extract fetch
download fetch
container docker
test check
library package framework component
docs documentation guide tutorial`;

const synonyms = lazy(() => {
  const byTerm = new Map<string, Synonym[]>();
  for (const group of groups.trim().split('\n')) {
    const words = group.split(' ').map((word) => ({ word, term: stemWord(word) }));
    for (const { term } of words) {
      const known = byTerm.get(term) ?? [];
      byTerm.set(term, known);
      for (const other of words)
        if (other.term !== term && !known.some((one) => one.term === other.term)) known.push(other);
    }
  }
  return byTerm;
});
