/* A plug engine for Plysmith in C: Breakthrough, alpha-beta search, six features of moves and two of the search. It searches
 * exactly as breakthrough.py does. Everything the protocol asks for is in main(); docs/plug-protocol.md explains it. Try it:
 *   cc -O2 -o /tmp/breakthrough examples/engines/breakthrough.c
 *   plysmith discover --engine /tmp/breakthrough --suite examples/engines/small.suite --nodes 20000 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIN = 100000, HIGHEST = 60, PLY = 1000, MOST = 96, FEATURES = 6, ALL = 8, LINE = 4096 };

static const char *NAMES[ALL] = {"Cap", "Safe", "Free", "Up", "Top", "Edge", "late", "deep"}; /* a feature's bit is its place */
static const char *LISTED = "feature Cap group capture meaning Captures a man.\n"
    "feature Safe group threat meaning Cannot be captured where it goes.\n"
    "feature Free group path meaning No man stands ahead of it on its column.\n"
    "feature Up group rank meaning Goes to the upper half of the board.\n"
    "feature Top group rank parent Up meaning Goes to one of the two last ranks.\n"
    "feature Edge group column meaning Goes to the first or last column.\n"
    "feature late group number meaning The fifth move of the node or a later one.\n"
    "feature deep group depth meaning Three plies or more are left.\nstate late deep\nfeaturesok";

typedef struct { int from, to; } Move;
typedef struct { int cost, bits, feature; } Entry; /* one for each alternative of a feature */
static int board[64], width, height, side_to_move, entries, added_entries;
static Entry scheme[MOST], amounts[MOST]; /* costs, of which the lowest counts, and amounts, which are added */
static long long nodes, limit;
static jmp_buf out_of_nodes;

static int set_board(const char *text) {
    int rows[8][8] = {{0}}, row = 0, column = 0;
    for (width = height = 0; *text && *text != ' '; text++)
        if (*text == '/' && (!row || column == width) && row < 7) width = column, column = 0, row++;
        else if (*text >= '1' && *text <= '8' - column) column += *text - '0';
        else if ((*text == 'P' || *text == 'p') && column < 8) rows[row][column++] = *text == 'P' ? 1 : 2;
        else return 0;
    if (!row || column != width || (strncmp(text, " w", 2) && strncmp(text, " b", 2))) return 0;
    height = row + 1;
    side_to_move = text[1] == 'w' ? 1 : 2;
    for (row = 0; row < height; row++)
        for (column = 0; column < width; column++) board[(height - 1 - row) * width + column] = rows[row][column];
    return 1;
}

/* Features with weights or amounts, like 'Top-Safe@0.5,(Cap-Up)|Edge@0.75,late@+0.5', or 'Neutral'. */
static int set_scheme(char *text) {
    int feature = entries = added_entries = 0;
    if (!strcmp(text, "Neutral")) return 1;
    for (char *part = strtok(text, ","); part; part = strtok(NULL, ",")) {
        char *weight = strchr(part, '@'), *end;
        if (!weight) return 0;
        double units = strtod(weight + 1, &end) * PLY;
        int cost = (int)(units + (units < 0 ? -0.5 : 0.5)), bits = 0, is_amount = weight[1] == '+' || weight[1] == '-';
        feature++;
        if (*end || end == weight + 1) return 0;
        for (*weight = '|'; part <= weight; part++) { /* every alternative ends in '|' now */
            size_t length = strcspn(part, "-|()");
            int found = 0;
            for (int i = 0; i < ALL && length; i++)
                if (strlen(NAMES[i]) == length && !strncmp(NAMES[i], part, length)) bits |= 1 << i, found = 1;
            if (length && !found) return 0;
            part += length;
            if (*part == '|') {
                if (!bits || entries == MOST || added_entries == MOST) return 0;
                if (is_amount) { amounts[added_entries++] = (Entry){cost, bits, feature}, bits = 0; continue; }
                int at = entries++;
                for (; at && scheme[at - 1].cost > cost; at--) scheme[at] = scheme[at - 1]; /* by rising cost */
                scheme[at] = (Entry){cost, bits, feature}, bits = 0;
            }
        }
    }
    return 1;
}

static int set_weights(char *text) {
    char scheme_text[LINE] = "", *word = strtok(text, " ");
    for (int i = 0; i < FEATURES; i++, word = strtok(NULL, " ")) {
        if (!word || strlen(word) > 20) return 0;
        sprintf(scheme_text + strlen(scheme_text), "%s%s@%s", i ? "," : "", NAMES[i], word);
    }
    return !word && set_scheme(scheme_text);
}

/* All moves, those of the most advanced men first. */
static int moves_of(int side, Move *list) {
    int count = 0, forward = side == 1 ? width : -width;
    for (int i = 0; i < height - 1; i++)
        for (int row = side == 1 ? height - 2 - i : 1 + i, column = 0; column < width; column++) {
            int from = row * width + column;
            for (int step = -1; board[from] == side && step <= 1; step++) {
                int to = from + forward + step;
                if (column + step >= 0 && column + step < width && (!board[to] || (step && board[to] != side)))
                    list[count++] = (Move){from, to};
            }
        }
    return count;
}

/* What a move costs of the depth: the lowest weight of a feature that it has, or a ply; and what is added to it. */
static int cost_of(int side, Move m, int number, int depth, int *added) {
    int row = m.to / width, column = m.to % width, forward = side == 1 ? 1 : -1, ahead = row + forward, is_free = 1;
    int advance = side == 1 ? row : height - 1 - row, bits = board[m.to] ? 1 : 0, other = ahead * width + column;
    int is_inside = ahead >= 0 && ahead < height;
    if (!is_inside || ((column == 0 || board[other - 1] != 3 - side) && (column == width - 1 || board[other + 1] != 3 - side)))
        bits |= 2;
    for (int r = ahead; r >= 0 && r < height; r += forward) is_free &= !board[r * width + column];
    bits |= (is_free ? 4 : 0) | (advance * 2 >= height ? 8 : 0) | (advance >= height - 2 ? 16 : 0);
    bits |= column == 0 || column == width - 1 ? 32 : 0;
    bits |= (number >= 4 ? 64 : 0) | (depth >= 3 * PLY ? 128 : 0);
    int cost = PLY, last = *added = 0, i = 0;
    while (i < entries && (bits & scheme[i].bits) != scheme[i].bits) i++;
    if (i < entries) cost = scheme[i].cost;
    for (i = 0; i < added_entries; i++) /* a feature counts once, however many of its alternatives hold */
        if (amounts[i].feature != last && (bits & amounts[i].bits) == amounts[i].bits)
            *added += amounts[i].cost, last = amounts[i].feature;
    if (!number && *added > 0) *added = 0; /* the first move is never reduced */
    if (*added < -cost) *added = -cost;
    return cost;
}

static int search(int side, int depth, int alpha, int beta, int ply, Move *best) {
    int counts[3] = {0}, score = 0, found = 0;
    Move list[64 * 3], first = *best, unused = {-1, -1};
    if (++nodes > limit) longjmp(out_of_nodes, 1);
    for (int i = 0; i < width * height; i++) {
        counts[board[i]]++;
        score += board[i] == 1 ? 10 + i / width : board[i] == 2 ? -(9 + height - i / width) : 0;
    }
    if (depth <= 0 || ply >= HIGHEST) return side == 1 ? score : -score;
    int count = moves_of(side, list), goal = side == 1 ? height - 1 : 0;
    for (int i = 0; i < count; i++) /* the best move of the iteration before comes first */
        if (list[i].from == first.from && list[i].to == first.to)
            memmove(list + 1, list, i * sizeof *list), list[0] = first;
    for (int i = 0; i < count; i++) {
        Move m = list[i], none = unused;
        int captured = board[m.to];
        if (m.to / width == goal || (captured && counts[captured] == 1)) nodes++, score = WIN - ply - 1;
        else {
            int added, cost = cost_of(side, m, i, depth, &added);
            board[m.from] = 0, board[m.to] = side;
            score = -search(3 - side, depth - cost - added, -beta, -alpha, ply + 1, &none);
            if (added > 0 && score > alpha) /* it was reduced, and is better than it looked */
                none = unused, score = -search(3 - side, depth - cost, -beta, -alpha, ply + 1, &none);
            board[m.from] = side, board[m.to] = captured;
        }
        if (score > alpha || !found) *best = m, found = 1;
        if (score > alpha && (alpha = score) >= beta) break;
    }
    return found ? alpha : -WIN + ply;
}

/* Whether a word stands in a list of words between blanks. */
static int has(const char *list, const char *word) {
    size_t length = strlen(word);
    for (; *list; list += strcspn(list, " "), list += *list == ' ')
        if (strcspn(list, " ") == length && !strncmp(list, word, length)) return 1;
    return 0;
}

/* Searches deeper and deeper until it agrees, is sure of something else, or has no nodes left. */
static void solve(long long most, const char *best, const char *avoid, int proven) {
    static int depth, finished, saved[64];
    static Move move;
    nodes = 0, limit = most, depth = finished = 0, move = (Move){-1, -1};
    memcpy(saved, board, sizeof board);
    if (!setjmp(out_of_nodes))
        while (depth < HIGHEST) {
            int score = search(side_to_move, ++depth * PLY, -WIN, WIN, 0, &move);
            finished = depth;
            if (move.from < 0) break; /* nobody can move */
            char name[5] = {"abcdefgh"[move.from % width], "12345678"[move.from / width], "abcdefgh"[move.to % width],
                            "12345678"[move.to / width], 0};
            if ((!*best || has(best, name)) && !has(avoid, name) && (!proven || score > WIN - 1000))
                return (void)printf("nodes 1 %lld depth %d\n", nodes, depth);
            if (abs(score) > WIN - 1000) break;
        }
    memcpy(board, saved, sizeof board); /* the moves on the way to the limit were not taken back */
    printf("nodes 0 %lld depth %d\n", most, finished);
}

int main(void) {
    static char line[LINE], best[LINE], avoid[LINE];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = 0;
        char *command = line, *rest = line + strcspn(line, " ");
        if (*rest) *rest++ = 0;
        int done = 1, proven = 0, read = 0;
        long long most = *best = *avoid = 0;
        if (!strcmp(command, "plug")) {
            puts("name Example in C\ngame breakthrough\ncan setscheme gosolve amounts");
            for (int i = 0; i < FEATURES; i++) printf("param %s 0.1 2 1\n", NAMES[i]);
            puts("plugok");
        } else if (!strcmp(command, "features")) puts(LISTED);
        else if (!strcmp(command, "setboard")) done = set_board(rest);
        else if (!strcmp(command, "setparam")) done = set_weights(rest);
        else if (!strcmp(command, "setscheme")) done = set_scheme(rest);
        else if (!strcmp(command, "gountil")) {
            done = height && sscanf(rest, "%4000s %lld", best, &most) == 2;
            if (done) solve(most, best, avoid, 0);
        } else if (!strcmp(command, "gosolve")) {
            done = height && sscanf(rest, "%lld%n", &most, &read) == 1;
            char *list = best;
            for (char *word = strtok(rest + read, " "); done && word; word = strtok(NULL, " "))
                if (!strcmp(word, "best")) list = best;
                else if (!strcmp(word, "avoid")) list = avoid;
                else if (!strcmp(word, "proven")) proven = 1;
                else strcat(strcat(list, " "), word);
            if (done) solve(most, best, avoid, proven);
        } else if (!strcmp(command, "quit")) return 0;
        if (!done) printf("error %s: cannot be done\n", command);
        fflush(stdout);
    }
}
